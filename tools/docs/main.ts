import { defaultConfigText } from "../../src/config/print.ts";
import { readmeTable } from "./readme_table.ts";

/** Writes every text that is derived from the settings table. A test compares them with the table. */
Deno.writeTextFileSync("config.example.toml", defaultConfigText());

const readme = Deno.readTextFileSync("README.md");
const generated = readme.replace(
  /(<!-- settings -->\n)[^]*(\n<!-- \/settings -->)/,
  (_, start: string, end: string) => `${start}\n${readmeTable().trim()}\n${end}`,
);
Deno.writeTextFileSync("README.md", generated);
