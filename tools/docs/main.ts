import { defaultConfigText } from "../../src/config/print.ts";
import { documentPath, documentText, servedPath, servedText } from "../openapi/document.ts";
import { EDITION_INTERFACES } from "../openapi/editions.ts";
import { settingsReference } from "./settings_page.ts";

/** Writes every text that is derived from code: from the settings table and the description of the interface. Tests compare them. */
Deno.writeTextFileSync("config.example.toml", defaultConfigText());
const page = Deno.readTextFileSync("docs/settings.md");
const generated = page.replace(
  /(<!-- settings -->\n)[^]*(\n<!-- \/settings -->)/,
  (_, start: string, end: string) => `${start}\n${settingsReference()}${end}`,
);
Deno.writeTextFileSync("docs/settings.md", generated);

for (const edition of EDITION_INTERFACES) {
  Deno.writeTextFileSync(documentPath(edition), documentText(edition));
  Deno.writeTextFileSync(servedPath(edition), servedText(edition));
}
