import assert from "node:assert/strict";
import { helpText } from "../../cli/help.ts";
import { backupProgram, serverProgram } from "../../cli/programs.ts";
import { defaultConfigText, tomlText } from "../../src/config/print.ts";
import { sections, settingsOf } from "../../src/config/settings.ts";
import { settingsReference } from "../../tools/docs/settings_page.ts";

function textOf(name: string): string {
  return Deno.readTextFileSync(new URL(`../../${name}`, import.meta.url));
}

/** The settings of a text as lines, such as `[server] port SERVICE_PORT 8085`; "none" stands for no default. */
type Lines = readonly string[];

const inTable: Lines = sections.flatMap((section) =>
  settingsOf(section).map(([key, setting]) =>
    `[${section}] ${key} ${setting.variable} ${
      setting.default === undefined ? "none" : tomlText(setting.default)
    }`
  )
).sort();

function inStarterFile(): Lines {
  return textOf("config.example.toml").split(/^(?=\[\w+\]$)/m).flatMap((part) => {
    const section = /^\[\w+\]/.exec(part)?.[0];
    return [...part.matchAll(/^# (SERVICE_\w+)[^\n]*\n#(\w+) =(.*)$/gm)].map(([, variable, key, value]) =>
      `${section} ${key} ${variable} ${value!.trim() === "" ? "none" : value!.trim()}`
    );
  }).sort();
}

function onPage(): Lines {
  return textOf("docs/settings.md").split(/^(?=## )/m).flatMap((group) => {
    const section = /^Section `(.*)`\.$/m.exec(group)?.[1];
    const entries = /^### `(\w+)`\n[^]*?^- Variable: `(\w+)`\n- Default: `?(.*?)`?\n- Value: ./gm;
    return [...group.matchAll(entries)].map(([, key, variable, value]) =>
      `${section} ${key} ${variable} ${value}`
    );
  }).sort();
}

function inHelp(): Lines {
  return [serverProgram, backupProgram].flatMap((program) => {
    const entries = /^ {2}(\w+)\n {6}.*\n {6}(SERVICE_\w+)(?:; default (.*?))?(?:;.*)?$/gm;
    return [...helpText(program).matchAll(entries)].map(([, key, variable, value]) =>
      `[${program.section}] ${key} ${variable} ${value ?? "none"}`
    );
  }).sort();
}

Deno.test("config.example.toml is what --default-config prints", () => {
  assert.ok(textOf("config.example.toml") === defaultConfigText(), "run `deno task docs`");
});

Deno.test("docs/settings.md carries what is generated from the table of all settings", () => {
  const block = /<!-- settings -->\n([^]*?)<!-- \/settings -->/.exec(textOf("docs/settings.md"))?.[1];
  assert.ok(
    block !== undefined,
    "docs/settings.md has no block between <!-- settings --> and <!-- /settings -->",
  );
  assert.ok(
    block.trim() === settingsReference().trim(),
    "docs/settings.md is stale: run `deno task docs`",
  );
});

Deno.test("the starter file, docs/settings.md and --help name every setting, its variable and its default", () => {
  assert.deepEqual(inStarterFile(), inTable);
  assert.deepEqual(onPage(), inTable);
  assert.deepEqual(inHelp(), inTable);
});
