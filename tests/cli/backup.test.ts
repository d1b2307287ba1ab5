import assert from "node:assert/strict";
import { join } from "node:path";
import { BackupDirectories } from "../backup/run_backup.ts";
import type { Ended } from "../support/run_command.ts";

const NO_SOURCE = { transport: "unix", path: "/nowhere/source.sock" } as const;

function assertRejected(ended: Ended, ...lines: string[]): void {
  assert.deepEqual(ended, {
    code: 2,
    stdout: "",
    stderr: lines.map((line) => `eventstore-backup: ${line}\n`).join(""),
  });
}

const HELP = " (help: eventstore-backup --help)";

Deno.test("backup knows its flags: --help, --version and --default-config print and exit 0", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  const help = await place.run({ args: ["--help"] });
  assert.deepEqual([help.code, help.stderr], [0, ""]);
  assert.match(help.stdout, /^eventstore-backup: .*--metrics-file <path>.*sourceSocket/s);
  const ofVerb = await place.run({ args: ["restore", "--help"] });
  assert.deepEqual([ofVerb.code, ofVerb.stderr], [0, ""]);
  assert.match(ofVerb.stdout, /^eventstore-backup restore: .*--to <path>/s);
  const version = await place.run({ args: ["--version"] });
  assert.deepEqual([version.code, version.stderr], [0, ""]);
  assert.match(version.stdout, /^eventstore-backup \d+\.\d+\.\d+\n$/);
  const defaults = await place.run({ args: ["--default-config"] });
  assert.equal(defaults.code, 0);
  assert.match(defaults.stdout, /^#pageLimit = 1000$/m);
  assert.deepEqual([...Deno.readDirSync(place.directory)], []);
});

Deno.test("when standard output cannot be written, the error says so", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  const { code, stderr } = await new Deno.Command("bash", {
    args: ["-c", '"$@" > /dev/full', "bash", ...place.command(["--version"])],
  }).output();
  assert.equal(code, 1);
  assert.equal(
    new TextDecoder().decode(stderr),
    "eventstore-backup: standard output cannot be written: No space left on device (os error 28)\n",
  );
});

Deno.test("a wrong flag, verb or configuration gives exit code 2 and every problem, before anything is created", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  assertRejected(
    await place.run({ args: ["bakcup"] }),
    'unknown verb "bakcup"; the verbs are verify, list, restore, export, keys; ' +
      `without one it copies the events of a running server into a separate database${HELP}`,
  );
  assertRejected(
    await place.run({ args: ["--quit", "--force"] }),
    'unknown flag "--quit", did you mean --quiet?',
    `unknown flag "--force"; it belongs to restore${HELP}`,
  );
  assertRejected(
    await place.run({ env: { SERVICE_BACKUP_PAGE_LIMIT: "0", SERVICE_BACKUP_DATA_DIR: "" } }),
    "SERVICE_BACKUP_DATA_DIR: must be a non-empty path, not an empty string",
    'SERVICE_BACKUP_PAGE_LIMIT: must be a whole number from 1 to 2147483647, not "0"',
  );
  const both = await place.run({ env: { SERVICE_BACKUP_SOURCE_URL: "http://127.0.0.1:1" } });
  assert.equal(both.code, 2);
  assert.match(both.stderr, /^eventstore-backup: .*only one may be\n$/);
  assert.deepEqual([...Deno.readDirSync(place.directory)], []);
});

Deno.test("arguments that a verb cannot take end with the help of that verb", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  const id = crypto.randomUUID();
  const help = " (help: eventstore-backup verify --help)";
  assertRejected(
    await place.run({ args: ["verify", "x"] }),
    `"x" is not a store ID; "list" shows the store IDs${help}`,
  );
  assertRejected(
    await place.run({ args: ["verify", id, "--all"] }),
    `--all and a store ID cannot be given together${help}`,
  );
  assertRejected(
    await place.run({ args: ["restore"] }),
    "--to is missing: --to <path> (help: eventstore-backup restore --help)",
  );
});

Deno.test("only what reads the source needs to know one", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  const without = (...args: string[]): Promise<Ended> =>
    place.run({ args, isEnvironmentEmpty: true, env: cacheOfRuntime() });
  for (const args of [[], ["verify", "--against-source"]]) {
    const { code, stderr } = await without(...args);
    assert.equal(code, 2, stderr);
    assert.match(stderr, /^eventstore-backup: no source: set sourceUrl or sourceSocket/);
  }
  for (const verb of ["verify", "list", "export"]) {
    const { stderr } = await without(verb);
    assert.doesNotMatch(stderr, /no source/, verb);
  }
});

Deno.test("a configuration file that is named and missing gives exit code 2, whatever the verb", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  for (const verb of ["", "verify", "verify --against-source", "list", "restore --to d", "export --from d"]) {
    const args = [...verb.split(" ").filter((word) => word !== ""), "--config", "missing.toml"];
    const ended = await place.run({ args });
    assertRejected(ended, `${join(place.directory, "missing.toml")}: cannot be read: there is no such file`);
  }
  assert.deepEqual([...Deno.readDirSync(place.directory)], []);
});

/** The variables that the runtime needs, when the program is not an executable. */
function cacheOfRuntime(): Record<string, string> {
  return { DENO_DIR: Deno.env.get("DENO_DIR") ?? `${Deno.env.get("HOME")}/.cache/deno` };
}

Deno.test("a configuration file that holds the token and that others may read gets a warning", async () => {
  using place = new BackupDirectories(NO_SOURCE);
  const config = join(place.directory, "config.toml");
  Deno.writeTextFileSync(config, '[backup]\nsourceToken = "open-sesame"\n', { mode: 0o644 });
  const { code, stderr } = await place.run();
  assert.equal(code, 1);
  assert.match(
    stderr,
    /^eventstore-backup: warning: \/.*\/config\.toml: contains a token.*\neventstore-backup: the source /,
  );
  assert.equal(stderr.includes("open-sesame"), false);
});
