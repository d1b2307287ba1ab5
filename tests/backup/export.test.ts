import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { join } from "node:path";
import { HashChain } from "../../src/backup/history/hash_chain.ts";
import { runInit } from "../cli/run_init.ts";
import { type Ended, runCommand } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories } from "./run_backup.ts";
import { sourceLines } from "./stored_lines.ts";

function exported(place: BackupDirectories, ...args: string[]): Promise<Ended> {
  return place.run({ args: ["export", ...args] });
}

function namesIn(directory: string): string[] {
  return [...Deno.readDirSync(directory)].map(({ name }) => name).sort();
}

function withTrailer(lines: readonly string[]): string {
  const chain = new HashChain();
  for (const line of lines) chain.add(line);
  const count = lines.length;
  return `${
    lines.join("")
  }{"complete":true,"events":${count},"lastSequence":${count},"chain":"${chain.hex}"}\n`;
}

Deno.test("an export holds the lines of QUERY /events and a trailer, whether it comes from a backup or a stopped server", async () => {
  await using server = await startServer();
  await server.client().append(...oddEvents);
  const expected = withTrailer(await sourceLines(server.client()));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const storeId = await server.client().storeId();
  assert.deepEqual(await exported(place), { code: 0, stdout: expected, stderr: "" });

  const { code, stdout } = await exported(place, storeId, "--output", "events.ndjson");
  assert.deepEqual([code, stdout], [
    0,
    `${place.directory}/events.ndjson: 11 events of ${place.file(storeId)}\n`,
  ]);
  const path = join(place.directory, "events.ndjson");
  assert.equal(Deno.readTextFileSync(path), expected);
  assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);

  assertFailed(await exported(place, "--from", server.dataDir), 1, /is in use by another process/);
  await server.kill();
  const fromServer = await exported(place, "--from", server.dataDir);
  assert.deepEqual(fromServer, { code: 0, stdout: expected, stderr: "" });
});

Deno.test("the export of an empty store is a trailer", async () => {
  using place = placeWithoutSource();
  makeBackup(place, []);
  assert.equal((await exported(place)).stdout, withTrailer([]));
});

Deno.test("a file that cannot be written is named, and without the mark of a move there is no export", async () => {
  using place = placeWithoutSource();
  makeBackup(place, []);
  const failed = /^eventstore-backup: \S*missing\/events\.ndjson cannot be written: No such file/;
  assertFailed(await exported(place, "--output", "missing/events.ndjson"), 1, failed);
  assert.equal((await runInit(place.directory, ["--data-dir", "data"])).code, 0);
  Deno.mkdirSync(join(place.directory, "data/service.moved"));
  const moved = await exported(place, "--from", "data", "--move", "--output", "events.ndjson");
  assertFailed(moved, 1, /^eventstore-backup: \S*data\/service\.moved cannot be written: Is a directory/);
  assert.deepEqual(namesIn(place.directory), ["backup", "data"]);
});

Deno.test("a damaged backup is exported without trailer, and no file is created from it or replaced by it", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(5));
  const path = join(place.directory, "events.ndjson");
  Deno.writeTextFileSync(path, "the old one");
  const damages = [
    ["UPDATE event SET time = time + 1 WHERE sequence = 2", /the Merkle tree differs/],
    ["DELETE FROM event WHERE sequence = 2", /event 2 is missing/],
  ] as const;
  for (const [sql, expected] of damages) {
    change(place.file(storeId), (db) => db.run(sql));
    assertFailed(await exported(place, "--output", "events.ndjson"), 1, expected);
    assert.equal(Deno.readTextFileSync(path), "the old one");
    assert.deepEqual(namesIn(place.directory), ["backup", "events.ndjson"]);
    const { code, stdout, stderr } = await exported(place);
    assert.equal(code, 1);
    assert.match(stderr, expected);
    assert.equal(stdout.includes("complete"), false);
  }
});

Deno.test("what is exported must be clear, and where to", async () => {
  using place = placeWithoutSource();
  assertFailed(await exported(place), 1, /there is no backup in \/.*\/backup$/m);
  assertFailed(
    await exported(place, "--from", "nowhere"),
    1,
    /there is no database at \/.+\/nowhere\/events\.db$/m,
  );
  assert.deepEqual([...Deno.readDirSync(place.directory)], [], "no lock file is left there");
  const one = makeBackup(place, []);
  assertFailed(
    await exported(place, "--from", "x", one),
    2,
    /--from and a store ID cannot be given together/,
  );
  assertFailed(await exported(place, "--output", "no/such/place"), 1, /no\/such\/place/);
  Deno.symlinkSync("/dev/null", join(place.directory, "link"));
  for (const path of ["/dev/null", "link", "backup"]) {
    assertFailed(await exported(place, "--output", path), 1, /is not a regular file/);
  }
  makeBackup(place, []);
  assertFailed(await exported(place), 1, /holds more than one backup; name one: /);
});

Deno.test("an export takes no database's place, and no file but its own is removed", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(5));
  assert.equal((await place.run({ args: ["restore", "--to", "ex"] })).code, 0);
  for (const args of [["--from", "ex", "--output", "ex/events.db"], ["--output", `backup/${storeId}.db`]]) {
    const path = join(place.directory, args.at(-1)!);
    const before = Deno.readFileSync(path);
    assertFailed(await exported(place, ...args), 1, /is a database; it will not be replaced$/m);
    assert.deepEqual(Deno.readFileSync(path), before);
  }
  const foreign = join(place.directory, "events.ndjson.new");
  Deno.writeTextFileSync(foreign, "somebody else's");
  Deno.writeTextFileSync(join(place.directory, "events.ndjson"), "SQLite");
  assert.equal((await exported(place, "--output", "events.ndjson")).code, 0);
  assert.equal(Deno.readTextFileSync(foreign), "somebody else's");
  assert.deepEqual(namesIn(place.directory), ["backup", "events.ndjson", "events.ndjson.new", "ex"]);
});

Deno.test({
  name: "a non-blocking pipe that is full is said to be one, and what came through has no trailer",
  ignore: !isProgram("perl"),
  async fn() {
    using place = placeWithoutSource();
    makeBackup(place, sampleEvents(3000));
    const nonBlocking = ["perl", "-MIO::Handle", "-e", "STDOUT->blocking(0); exec @ARGV or die"];
    const script = '{ "$@" 2>errors; echo $? >code; } | { while ! test -s code; do sleep 0.1; done; cat; }';
    const command = ["sh", "-c", script, "sh", ...nonBlocking, ...place.command(["export"])];
    const { stdout } = await runCommand(command, { cwd: place.directory });
    const [code, errors] = ["code", "errors"].map((name) =>
      Deno.readTextFileSync(join(place.directory, name))
    );
    assert.equal(code, "1\n");
    assert.match(errors!, /^eventstore-backup: [^\n]*non-blocking pipe\): put "\| cat" in between\n$/);
    assert.equal(stdout.includes('{"complete"'), false);
  },
});

function isProgram(name: string): boolean {
  return new Deno.Command("sh", { args: ["-c", `command -v ${name}`], stdout: "null" }).outputSync().success;
}

Deno.test("a reader that leaves early ends the export with exit code 1 and one line", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3000));
  const script = '{ "$@" 2>errors; echo $? >code; } | head -n 1';
  const command = ["sh", "-c", script, "sh", ...place.command(["export"])];
  const { stdout } = await runCommand(command, { cwd: place.directory });
  assert.match(stdout, /^\{"sequence":1,[^\n]+\n$/);
  const [code, errors] = ["code", "errors"].map((name) => Deno.readTextFileSync(join(place.directory, name)));
  assert.equal(code, "1\n");
  assert.match(errors!, /^eventstore-backup: [^\n]*pipe[^\n]*\n$/i);
});

Deno.test("a signal ends an export that waits for its reader, and the lock is free again", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(20_000));
  const child = place.spawn({ args: ["export"] });
  const reader = child.stdout.getReader();
  // From here on the test reads nothing, and the pipe becomes full.
  await reader.read();
  await delay(500);
  child.kill("SIGTERM");
  const giveUp = setTimeout(() => child.kill("SIGKILL"), 20_000);
  const { code } = await child.status;
  clearTimeout(giveUp);
  assert.equal(code, 1);
  const errors = (await Array.fromAsync(child.stderr.pipeThrough(new TextDecoderStream()))).join("");
  assert.equal(errors, "eventstore-backup: stopped by SIGTERM\n");
  await reader.cancel();
  assert.equal((await place.run({ args: ["verify"] })).code, 0);
});
