import assert from "node:assert/strict";
import { type Flags, helpText, parseFlags } from "../../src/config/flags.ts";
import { backupProgram, initProgram, type Program, serverProgram } from "../../src/config/programs.ts";
import { settingsOf } from "../../src/config/settings.ts";

const programs = [serverProgram, initProgram, backupProgram];

const none: Flags = {
  config: undefined,
  dataDir: undefined,
  checkConfig: false,
  printConfig: false,
  defaultConfig: false,
  version: false,
  help: false,
};

function problems(program: Program, ...args: string[]): string[] {
  const parsed = parseFlags(program, args);
  assert.ok("problems" in parsed, "the arguments were accepted");
  return parsed.problems;
}

Deno.test("without arguments every flag is off", () => {
  for (const program of programs) assert.deepEqual(parseFlags(program, []), { flags: none });
});

Deno.test("all programs take --config, --default-config, --version and --help", () => {
  for (const program of programs) {
    const args = ["--config", "a.toml", "--default-config", "--version", "--help"];
    assert.deepEqual(parseFlags(program, args), {
      flags: { ...none, config: "a.toml", defaultConfig: true, version: true, help: true },
    });
    assert.deepEqual(parseFlags(program, ["--config=-b"]), { flags: { ...none, config: "-b" } });
  }
});

Deno.test("only the server takes --check-config and --print-config", () => {
  assert.deepEqual(parseFlags(serverProgram, ["--check-config", "--print-config"]), {
    flags: { ...none, checkConfig: true, printConfig: true },
  });
  for (const program of [initProgram, backupProgram]) {
    assert.match(problems(program, "--check-config")[0]!, /^unknown flag "--check-config"/);
    assert.match(problems(program, "--print-config")[0]!, /^unknown flag "--print-config"/);
  }
});

Deno.test("only init takes --data-dir", () => {
  assert.deepEqual(parseFlags(initProgram, ["--data-dir", "d"]), { flags: { ...none, dataDir: "d" } });
  assert.deepEqual(problems(serverProgram, "--data-dir=d"), ['unknown flag "--data-dir"']);
});

Deno.test("an unknown flag is named with what was probably meant", () => {
  assert.deepEqual(problems(serverProgram, "--confg", "--verbose", "-h"), [
    'unknown flag "--confg", did you mean --config?',
    'unknown flag "--verbose"',
    'unknown flag "-h"',
  ]);
});

Deno.test("a flag without its value, or with an empty one, is refused", () => {
  const fault = ["--config needs a value: --config <path>"];
  assert.deepEqual(problems(serverProgram, "--config"), fault);
  assert.deepEqual(problems(serverProgram, "--config="), fault);
  assert.deepEqual(problems(serverProgram, "--config", ""), fault);
  assert.deepEqual(problems(serverProgram, "--config", "--help"), fault);
});

Deno.test("a value for a flag that takes none is refused", () => {
  assert.deepEqual(problems(serverProgram, "--version=1"), ["--version takes no value"]);
});

Deno.test("a flag that is given twice is refused", () => {
  assert.deepEqual(problems(serverProgram, "--config", "a", "--config", "b"), ["--config is given twice"]);
});

Deno.test("arguments that belong to no flag are refused", () => {
  assert.deepEqual(problems(serverProgram, "start", "--", "--help"), [
    'unexpected argument "start"',
    'unexpected argument "--help"',
  ]);
});

Deno.test("all problems are reported at once", () => {
  assert.deepEqual(problems(initProgram, "x", "--data-dirs", "--data-dir"), [
    'unexpected argument "x"',
    'unknown flag "--data-dirs", did you mean --data-dir?',
    "--data-dir needs a value: --data-dir <path>",
  ]);
});

Deno.test("the help shows the usage, every flag, and the settings with their variables", () => {
  for (const program of programs) {
    const text = helpText(program);
    assert.ok(text.includes(`Usage: ${program.name} [flags]\n`));
    for (const { name, help } of program.flags) {
      assert.ok(
        text.split("\n").some((line) => line.startsWith(`  --${name} `) && line.endsWith(`  ${help}`)),
        name,
      );
    }
    for (const [key, { variable }] of settingsOf(program.section)) {
      const isShown = program.keys === undefined || program.keys.includes(key);
      assert.equal(text.includes(`\n  ${key}\n`) && text.includes(`      ${variable}`), isShown, key);
    }
  }
});
