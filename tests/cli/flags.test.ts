import assert from "node:assert/strict";
import { clientProgram } from "../../cli/client_program.ts";
import { allFlags } from "../../cli/flags.ts";
import type { Program } from "../../cli/program.ts";
import { backupProgram, initProgram, serverProgram } from "../../cli/programs.ts";
import {
  backupOptions,
  here,
  initOptions,
  noVerb,
  parsed,
  problems,
  restoreOptions,
  serverOptions,
} from "./parsed_flags.ts";

function initOptionsOf(...args: string[]) {
  const line = parsed(initProgram, ...args);
  assert.ok(line.verb === undefined);
  return line.options;
}

Deno.test("without arguments every flag is off", () => {
  assert.deepEqual(parsed(serverProgram), { ...noVerb, options: serverOptions });
  assert.deepEqual(parsed(initProgram), { ...noVerb, options: initOptions });
  assert.deepEqual(parsed(backupProgram), { ...noVerb, options: backupOptions });
});

Deno.test("all programs with settings take --config, --check-config, --default-config, --version and --help", () => {
  for (const program of [serverProgram, initProgram, backupProgram]) {
    const { options: none } = parsed(program);
    const args = ["--config", "a.toml", "--check-config", "--default-config", "--version", "--help"];
    const given = {
      config: here("a.toml"),
      checkConfig: true,
      defaultConfig: true,
      version: true,
      help: true,
    };
    assert.deepEqual(parsed(program, ...args), { ...noVerb, options: { ...none, ...given } });
    assert.deepEqual(parsed(program, "--config=-b"), { ...noVerb, options: { ...none, config: here("-b") } });
    assert.deepEqual(parsed(program, "-h"), { ...noVerb, options: { ...none, help: true } });
  }
});

Deno.test("only the server takes --print-config", () => {
  assert.deepEqual(parsed(serverProgram, "--print-config"), {
    ...noVerb,
    options: { ...serverOptions, printConfig: true },
  });
  for (const program of [initProgram, backupProgram]) {
    assert.match(problems(program, "--print-config")[0]!, /^unknown flag "--print-config"/);
  }
});

Deno.test("only init takes --data-dir and imports, a dash for standard input", () => {
  assert.deepEqual(parsed(initProgram, "--data-dir", "d", "--import", "-"), {
    ...noVerb,
    options: { ...initOptions, dataDir: here("d"), import: "-" },
  });
  assert.deepEqual(parsed(initProgram, "--import-plain", "-", "--add-views"), {
    ...noVerb,
    options: { ...initOptions, importPlain: "-", addViews: true },
  });
  assert.match(problems(serverProgram, "--data-dir=d").join("\n"), /^unknown flag "--data-dir"; /);
});

Deno.test("a setting that is given like a flag is named as a setting, in one line, and no token is repeated", () => {
  const reported = (program: Program, ...args: string[]): string => problems(program, ...args).join("\n");
  const asSetting = (flag: string, key: string, section: string, variable: string): string =>
    `unknown flag "${flag}"; ${key} is a setting: write it into [${section}] of the file, or set ${variable}`;
  const port = asSetting("--port", "port", "server", "SERVICE_PORT=8085");
  assert.equal(reported(serverProgram, "--port", "8085"), port);
  assert.equal(reported(serverProgram, "--port=8085"), port);
  for (const flag of ["--data-dir", "--dataDir"]) {
    const expected = asSetting(flag, "dataDir", "server", "SERVICE_DATA_DIR=/srv/d");
    assert.equal(reported(serverProgram, flag, "/srv/d"), expected);
  }
  assert.equal(
    reported(serverProgram, "--dev-mode"),
    asSetting("--dev-mode", "devMode", "server", "SERVICE_DEV_MODE=true"),
  );
  for (const value of ["secret", "a b"]) {
    assert.equal(
      reported(serverProgram, "--auth-token", value),
      asSetting("--auth-token", "authToken", "server", "SERVICE_AUTH_TOKEN=..."),
    );
  }
  assert.equal(
    reported(backupProgram, "--source-url", "http://localhost:8085"),
    asSetting("--source-url", "sourceUrl", "backup", "SERVICE_BACKUP_SOURCE_URL=..."),
  );
  assert.match(
    reported(backupProgram, "restore", "--to", "d", "--data-dir", "e"),
    /of restore; dataDir is a setting: /,
  );
  assert.equal(reported(initProgram, "--devMode"), 'unknown flag "--devMode"', "init has no use for it");
});

Deno.test("a path that only a shell would understand, or that the runtime keeps closed, is rejected", () => {
  const rejected = (program: Program, ...args: string[]): string => problems(program, ...args).join("\n");
  for (const flag of ["--config", "--data-dir", "--import"]) {
    assert.match(rejected(initProgram, `${flag}=~/x`), new RegExp(`^${flag} must not begin with "~"`));
    assert.match(rejected(initProgram, flag, "/dev/shm/x"), new RegExp(`^${flag} must not be below /dev`));
  }
  assert.match(rejected(backupProgram, "restore", "--to", "~root"), /^--to must not begin with "~"/);
  assert.match(
    rejected(backupProgram, "export", "--output", "/tmp/../proc/x"),
    /^--output must not be below/,
  );
  assert.equal(initOptionsOf("--data-dir", "./~x").dataDir, here("~x"));
  for (const open of ["/dev/null", "/dev/fd/63"]) {
    assert.equal(initOptionsOf("--import", open).import, open);
  }
});

Deno.test("an unknown flag is named with what was probably meant", () => {
  assert.deepEqual(problems(serverProgram, "--confg", "--verbose", "-x"), [
    'unknown flag "--confg", did you mean --config?',
    'unknown flag "--verbose"',
    'unknown flag "-x"',
  ]);
});

Deno.test("a flag without its value, or with an empty one, is rejected", () => {
  const fault = ["--config needs a value: --config <path>"];
  assert.deepEqual(problems(serverProgram, "--config"), fault);
  assert.deepEqual(problems(serverProgram, "--config="), fault);
  assert.deepEqual(problems(serverProgram, "--config", ""), fault);
  assert.deepEqual(problems(serverProgram, "--config", "--help"), [
    `${fault[0]}; if it begins with a dash, --config=<path>`,
  ]);
});

Deno.test("a value for a flag that takes none is rejected", () => {
  assert.deepEqual(problems(serverProgram, "--version=1"), ["--version takes no value"]);
});

Deno.test("a flag that is given twice is rejected", () => {
  assert.deepEqual(problems(serverProgram, "--config", "a", "--config", "b"), ["--config is given twice"]);
});

Deno.test("arguments that belong to no flag are rejected", () => {
  assert.deepEqual(problems(serverProgram, "start", "--", "--help"), [
    'unexpected argument "start"',
    'unexpected argument "--help"',
  ]);
});

Deno.test("all problems are reported at once", () => {
  assert.deepEqual(problems(serverProgram, "x", "--configs", "--config"), [
    'unexpected argument "x"',
    'unknown flag "--configs", did you mean --config?',
    "--config needs a value: --config <path>",
  ]);
});

Deno.test("a flag that must be given is missed, but not by --help", () => {
  assert.deepEqual(problems(backupProgram, "restore"), ["--to is missing: --to <path>"]);
  assert.deepEqual(parsed(backupProgram, "restore", "--help"), {
    verb: "restore",
    arguments: [],
    groups: [],
    options: { ...restoreOptions, help: true },
  });
});

Deno.test("a flag takes a value in every verb that has it, or in none", () => {
  const values = new Map<string, boolean>();
  for (const program of [backupProgram, clientProgram]) {
    values.clear();
    for (const { name, value } of allFlags(program)) {
      assert.equal(values.get(name) ?? value !== undefined, value !== undefined, name);
      values.set(name, value !== undefined);
    }
  }
});
