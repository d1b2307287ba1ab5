import { defaultConfigText } from "../../src/config/print.ts";
import { documentPath, documentText } from "../openapi/document.ts";
import { EDITION_INTERFACES } from "../openapi/editions.ts";
import { readmeTable } from "./readme_table.ts";

/** Writes every text that is derived from code: from the settings table, and from what describes the interface. Tests compare them. */
Deno.writeTextFileSync("config.example.toml", defaultConfigText());

const readme = Deno.readTextFileSync("README.md");
const generated = readme.replace(
  /(<!-- settings -->\n)[^]*(\n<!-- \/settings -->)/,
  (_, start: string, end: string) => `${start}\n${readmeTable().trim()}\n${end}`,
);
Deno.writeTextFileSync("README.md", generated);

for (const edition of EDITION_INTERFACES) {
  Deno.writeTextFileSync(documentPath(edition), documentText(edition));
}
