import assert from "node:assert/strict";
import { defaultConfigText } from "../../src/config/print.ts";
import { readmeTable } from "../../tools/docs/readme_table.ts";

function textOf(name: string): string {
  return Deno.readTextFileSync(new URL(`../../${name}`, import.meta.url));
}

Deno.test("config.example.toml is what --default-config prints", () => {
  const remedy =
    "config.example.toml is stale: replace it by the output of `deno task start --default-config`";
  assert.ok(textOf("config.example.toml") === defaultConfigText(), remedy);
});

Deno.test("the README carries the table of all settings", () => {
  const block = /<!-- settings -->\n([^]*?)<!-- \/settings -->/.exec(textOf("README.md"))?.[1];
  assert.ok(block !== undefined, "README.md has no block between <!-- settings --> and <!-- /settings -->");
  const remedy = `the settings in README.md are stale: put this between the two markers\n\n${readmeTable()}`;
  assert.ok(block.trim() === readmeTable().trim(), remedy);
});
