import assert from "node:assert/strict";
import { join } from "node:path";
import { manPages } from "../../../tools/packaging/man_pages.ts";
import { programs } from "../../../cli/programs.ts";
import { argumentsText } from "../../../cli/help.ts";
import type { Flag, Program, Verb } from "../../../cli/program.ts";
import { sections, settingsOf } from "../../../src/config/settings.ts";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";

/** The page as a reader sees it, without fonts; every warning of groff is an error. */
async function rendered(groff: DebianProgram, name: string): Promise<string> {
  const share = join(groff.root, "usr/share/groff/current");
  const child = new Deno.Command(groff.path, {
    args: ["-man", "-Tascii", "-P-c", "-P-bou", "-ww", "-rLL=200n"],
    env: {
      ...groff.environment,
      PATH: `${join(groff.root, "usr/bin")}:${Deno.env.get("PATH")}`,
      GROFF_FONT_PATH: join(share, "font"),
      GROFF_TMAC_PATH: join(share, "tmac"),
    },
    stdin: "piped",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const writer = child.stdin.getWriter();
  await writer.write(new TextEncoder().encode(manPages().find((page) => page.name === name)!.text));
  await writer.close();
  const { stdout, stderr } = await child.output();
  assert.equal(new TextDecoder().decode(stderr), "");
  const printed = new TextDecoder().decode(stdout);
  assert.match(printed, new RegExp(`^NAME\\n +${name} - [a-z]`, "m"), "what apropos looks for");
  return printed;
}

/** The part of a rendered page below a heading, on one line. */
function below(heading: string, text: string): string {
  const start = text.indexOf(`\n${heading}\n`);
  assert.ok(start >= 0, `${heading} is missing in\n${text}`);
  const rest = text.slice(start + heading.length + 2);
  const end = rest.search(/^\S/m);
  return (end < 0 ? rest : rest.slice(0, end)).replace(/\s+/g, " ").trim();
}

function expectedFlags(flags: readonly Flag[]): string[] {
  return flags.map(({ name, value, required, help }) =>
    `--${name}${value === undefined ? "" : ` ${value}`} ${help}${required === true ? " (required)" : ""}`
  );
}

/** Asserts that the text has names with their meanings, and nothing else. */
function assertMeanings(text: string, meanings: Program["exitCodes"] = []): void {
  if (meanings.length > 0) assert.equal(text, meanings.map((row) => row.join(" ")).join(" "));
}

function expectedGroup({ group }: Verb): string[] {
  if (group === undefined) return [];
  const begin = `--${group.begin.name}`;
  const between = `Flags behind ${begin}; another ${begin} begins anew:`;
  return [...expectedFlags([group.begin]), between, ...expectedFlags(group.flags)];
}

for (const program of programs) {
  const { name, flags, verbs } = program;
  await debianTest(
    ["groff"],
    `the page of ${name} has its flags and verbs, and no others`,
    async ({ groff }) => {
      const text = await rendered(groff, name);
      assert.equal(below("OPTIONS", text), expectedFlags(flags).join(" "));
      if (verbs.length === 0) return;
      const expected = verbs.map((verb) => {
        const heading = verb.name + argumentsText(verb);
        return [heading, verb.summary, ...expectedFlags(verb.flags), ...expectedGroup(verb)].join(" ");
      });
      assert.equal(below("VERBS", text), expected.join(" "));
      assertMeanings(below("EXIT STATUS", text), program.exitCodes);
      if (program.variables !== undefined) assertMeanings(below("ENVIRONMENT", text), program.variables);
    },
  );
}

await debianTest(
  ["groff"],
  "eventstore.toml(5) has every setting, its variable and its default",
  async ({ groff }) => {
    const text = await rendered(groff, "eventstore.toml");
    for (const section of sections) {
      const part = below(`[${section}]`, text);
      let position = -1;
      for (const [key, setting] of settingsOf(section)) {
        const value = setting.default === undefined
          ? "no default"
          : `default ${JSON.stringify(setting.default)}`;
        const found = part.indexOf(`${key} ${setting.help} ${setting.variable}; ${value}`);
        assert.ok(found > position, `${key} is missing or not in its place: ${part}`);
        position = found;
      }
      assert.equal(part.match(/\bSERVICE_\w+/g)?.length, settingsOf(section).length);
    }
  },
);
