import assert from "node:assert/strict";
import { join } from "node:path";
import { type DebianProgram, debianTest } from "../support/debian_program.ts";
import { readMonitoring } from "./prometheus.ts";

/** The tests of the rules, in files for promtool. */
const TESTS = ["alerts.test.yml", "alerts_of_days.test.yml"];

async function promtool(program: DebianProgram, args: readonly string[], rules: string): Promise<string> {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    await Deno.writeTextFile(join(directory, "alerts.yml"), rules);
    for (const name of TESTS) await Deno.copyFile(new URL(name, import.meta.url), join(directory, name));
    const command = new Deno.Command(program.path, {
      args: [...args],
      cwd: directory,
      env: program.environment,
    });
    const { code, stdout, stderr } = await command.output();
    return `${new TextDecoder().decode(stdout)}${new TextDecoder().decode(stderr)}exit code ${code}`;
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
}

await debianTest(["promtool"], "promtool: the alert rules are well-formed", async (programs) => {
  const output = await promtool(
    programs.promtool,
    ["check", "rules", "alerts.yml"],
    readMonitoring("alerts.yml"),
  );
  assert.match(output, /SUCCESS: \d+ rules found[^]*exit code 0$/);
});

await debianTest(
  ["promtool"],
  "promtool: each alert fires when it should and not before",
  async (programs) => {
    const rules = readMonitoring("alerts.yml");
    const output = await promtool(programs.promtool, ["test", "rules", ...TESTS], rules);
    assert.match(output, /SUCCESS\s+exit code 0$/);
  },
);

await debianTest(
  ["promtool"],
  "promtool: an alert that never fires, or always, is noticed",
  async (programs) => {
    const rules = readMonitoring("alerts.yml");
    const names = [...rules.matchAll(/- alert: (\w+)/g)].map(([, name]) => name!);
    for (const spoilt of ["vector(1) == 2", "vector(1)"]) {
      const spoiltRules = rules.replaceAll(/^( *expr: )(>-\n( {10}.*\n)+|.*\n)/gm, `$1${spoilt}\n`);
      const output = await promtool(programs.promtool, ["test", "rules", ...TESTS], spoiltRules);
      assert.match(output, /exit code 1$/);
      for (const name of names) {
        assert.match(
          output,
          new RegExp(`alertname: ?${name},`),
          `${name}: ${spoilt}`,
        );
      }
    }
  },
);
