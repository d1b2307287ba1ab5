import assert from "node:assert/strict";
import { clientProgram } from "../../cli/client_program.ts";
import { allFlags, parseFlags } from "../../cli/flags.ts";
import { helpText } from "../../cli/help.ts";
import type { CommandLine, Program, Verb } from "../../cli/program.ts";
import { backupProgram, initProgram, programs, serverProgram } from "../../cli/programs.ts";
import { settingsOf } from "../../src/config/settings.ts";

const common = { config: undefined, checkConfig: false, defaultConfig: false, version: false, help: false };
const noVerb = { verb: undefined, arguments: [], groups: [] };

/** The options of each program without flags. */
const serverOptions = { ...common, printConfig: false };
const initOptions = {
  ...common,
  dataDir: undefined,
  import: undefined,
  importPlain: undefined,
  addViews: false,
};
const backupOptions = { ...common, quiet: false, json: false, metricsFile: undefined };

const verbs: readonly Verb[] = backupProgram.verbs;

function parsed<P extends Program>(program: P, ...args: string[]): CommandLine<P> {
  const parsed = parseFlags(program, args);
  assert.ok("line" in parsed, "the arguments were rejected");
  return parsed.line;
}

function problems(program: Program, ...args: string[]): string[] {
  const parsed = parseFlags(program, args);
  assert.ok("problems" in parsed, "the arguments were accepted");
  return parsed.problems;
}

Deno.test("without arguments every flag is off", () => {
  assert.deepEqual(parsed(serverProgram), { ...noVerb, options: serverOptions });
  assert.deepEqual(parsed(initProgram), { ...noVerb, options: initOptions });
  assert.deepEqual(parsed(backupProgram), { ...noVerb, options: backupOptions });
});

/** A path as the options contain it: absolute. */
function here(name: string): string {
  return `${Deno.cwd()}/${name}`;
}

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
  assert.equal(parsed(initProgram, "--data-dir", "./~x").options.dataDir, here("~x"));
  for (const open of ["/dev/null", "/dev/fd/63"]) {
    assert.equal(parsed(initProgram, "--import", open).options.import, open);
  }
});

Deno.test("with what is wrong comes the command that prints the help", () => {
  const help = (program: Program, ...args: string[]): string | undefined => {
    const parsed = parseFlags(program, args);
    return "help" in parsed ? parsed.help : undefined;
  };
  assert.equal(help(serverProgram, "--x"), "eventstore-server --help");
  assert.equal(help(backupProgram, "x"), "eventstore-backup --help");
  assert.equal(help(backupProgram, "restore", "--x"), "eventstore-backup restore --help");
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
  assert.deepEqual(problems(initProgram, "x", "--data-dirs", "--data-dir"), [
    'unexpected argument "x"',
    'unknown flag "--data-dirs", did you mean --data-dir?',
    "--data-dir needs a value: --data-dir <path>",
  ]);
});

Deno.test("a verb may come before or after its flags, and takes only its own", () => {
  const expected = {
    verb: "restore",
    arguments: ["id"],
    groups: [],
    options: { config: undefined, to: here("d"), until: undefined, dryRun: false, force: true, help: false },
  };
  assert.deepEqual(parsed(backupProgram, "restore", "id", "--to", "d", "--force"), expected);
  assert.deepEqual(parsed(backupProgram, "--force", "--to=d", "restore", "id"), expected);
  assert.deepEqual(parsed(backupProgram, "--quiet", "--metrics-file", "list"), {
    ...noVerb,
    options: { ...backupOptions, quiet: true, metricsFile: here("list") },
  });
  assert.deepEqual(problems(backupProgram, "verify", "--forse", "--to", "d", "--quiet"), [
    'unknown flag "--forse" of verify',
    'unknown flag "--to" of verify; it belongs to restore',
    'unknown flag "--quiet" of verify',
  ]);
  assert.deepEqual(problems(backupProgram, "--all", "--jsn"), [
    'unknown flag "--all"; it belongs to verify',
    'unknown flag "--jsn", did you mean --json?',
  ]);
});

Deno.test("an unknown verb is named with what was probably meant, and with all that there are", () => {
  const verbs = "verbs are verify, list, restore, export; " +
    "without one it copies the events of a running server into a separate database";
  assert.deepEqual(problems(backupProgram, "verfy", "--all"), [
    `unknown verb "verfy", did you mean verify? The ${verbs}`,
  ]);
  assert.deepEqual(problems(backupProgram, "bakcup"), [`unknown verb "bakcup"; the ${verbs}`]);
  assert.deepEqual(problems(backupProgram, ""), [`unknown verb ""; the ${verbs}`]);
});

Deno.test("a verb takes one argument at most, and only when it has one", () => {
  assert.deepEqual(problems(backupProgram, "verify", "a", "b"), ['unexpected argument "b"']);
  assert.deepEqual(problems(backupProgram, "verify", ""), ['unexpected argument ""']);
  assert.deepEqual(problems(backupProgram, "list", "a"), ['unexpected argument "a"']);
});

Deno.test("a verb has its own options and no others", () => {
  const line = parsed(backupProgram, "verify", "--all");
  assert.ok(line.verb === "verify");
  assert.equal(line.options.all, true);
  // @ts-expect-error it belongs to restore
  assert.equal(line.options.force, undefined);
});

Deno.test("a flag that must be given is missed, but not by --help", () => {
  assert.deepEqual(problems(backupProgram, "restore"), ["--to is missing: --to <path>"]);
  assert.deepEqual(parsed(backupProgram, "restore", "--help"), {
    verb: "restore",
    arguments: [],
    groups: [],
    options: { config: undefined, to: undefined, until: undefined, dryRun: false, force: false, help: true },
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

Deno.test("the help names every verb, and that of a verb its argument, flags and settings", () => {
  const text = helpText(backupProgram);
  for (const { name, arguments: known, summary, flags, keys } of verbs) {
    assert.match(text, new RegExp(`^ {2}${name} +${summary.replaceAll(".", "\\.")}$`, "m"));
    const ofVerb = helpText(backupProgram, name);
    const usage = known === undefined ? "[flags]" : `[${known[0]!.name}] [flags]`;
    assert.ok(ofVerb.includes(`Usage: eventstore-backup ${name} ${usage}\n`), ofVerb);
    for (const { name: flag, help } of flags) {
      assert.match(ofVerb, new RegExp(`^ {2}--${flag} .*`, "m"), help);
    }
    for (const [key] of settingsOf("backup")) {
      assert.equal(ofVerb.includes(`\n  ${key}\n`), keys === undefined || keys.includes(key), key);
    }
  }
});

Deno.test("the help shows the usage, every flag, and the settings with their variables", () => {
  for (const program of programs) {
    const text = helpText(program);
    const usage = program.needsVerb ? "<verb> [flags]" : "[flags]";
    assert.ok(text.includes(`Usage: ${program.name} ${usage}\n`));
    for (const { name, help } of program.flags) {
      assert.ok(
        text.split("\n").some((line) => line.startsWith(`  --${name} `) && line.endsWith(`  ${help}`)),
        name,
      );
    }
    for (const [key, { variable }] of program.section === undefined ? [] : settingsOf(program.section)) {
      const isShown = program.keys === undefined || program.keys.includes(key);
      assert.equal(text.includes(`\n  ${key}\n`) && text.includes(`      ${variable}`), isShown, key);
    }
  }
});

Deno.test("flags behind the one that begins a group belong to the group, others to the verb", () => {
  const args = ["append", "--type", "t", "--tag", "a=1", "--if-none", "--tag", "b=2", "--tag", "b=3"];
  const line = parsed(clientProgram, ...args, "--payload", "1", "--if-none", "--type", "u", "--json");
  assert.ok(line.verb === "append");
  const { type, tag, payload, json } = line.options;
  assert.deepEqual({ type, tag, payload, json }, { type: "t", tag: ["a=1"], payload: "1", json: true });
  const none = { type: [], tag: [], meta: [], query: undefined, after: undefined };
  assert.deepEqual(line.groups, [{ ...none, tag: ["b=2", "b=3"] }, { ...none, type: ["u"] }]);
  assert.deepEqual(parsed(clientProgram, "append", "file").groups, []);
  assert.deepEqual(problems(clientProgram, "append", "--after", "1"), [
    'unknown flag "--after" of append before --if-none; it belongs behind it',
  ]);
  assert.deepEqual(problems(clientProgram, "append", "--if-none", "--after", "1", "--after", "2"), [
    "--after is given twice",
  ]);
  assert.deepEqual(problems(clientProgram, "append", "--if-none=yes"), ["--if-none takes no value"]);
});

Deno.test("arguments are taken by their place, and only those that are known", () => {
  const line = parsed(clientProgram, "projection", "--all", "delete", "course");
  assert.deepEqual(line.arguments, ["delete", "course"]);
  assert.deepEqual(problems(clientProgram, "projection", "drop"), [
    'unexpected argument "drop": it is one of get, delete',
  ]);
  assert.deepEqual(problems(clientProgram, "projection"), ["get or delete is missing"]);
  assert.deepEqual(problems(clientProgram), [
    "a verb is missing, one of read, append, head, projection, health, explore, completions",
  ]);
  const empty = parsed(clientProgram, "append", "--text", "");
  assert.equal(empty.verb === "append" && empty.options.text, "");
  assert.deepEqual(problems(clientProgram, "append", "--payload", ""), [
    "--payload needs a value: --payload <json>",
  ]);
});

Deno.test("the help shows a group behind its flag, and variables and exit codes instead of settings", () => {
  const text = helpText(clientProgram, "append");
  const append: Verb = clientProgram.verbs.find(({ name }) => name === "append")!;
  const { begin, flags } = append.group!;
  const [before, behind] = text.split(`\nFlags behind --${begin.name};`) as [string, string];
  assert.match(before, new RegExp(`^ {2}--${begin.name} .*\n$`, "m"));
  for (const { name } of flags) assert.match(behind, new RegExp(`^ {2}--${name} `, "m"));
  for (const [name, meaning] of [...clientProgram.variables, ...clientProgram.exitCodes]) {
    assert.match(text, new RegExp(`^ {2}${name} +${RegExp.escape(meaning)}$`, "m"));
  }
  assert.doesNotMatch(text, /\[server\]/);
});
