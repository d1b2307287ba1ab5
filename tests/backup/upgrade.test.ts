import assert from "node:assert/strict";
import { join } from "node:path";
import { treeOfChained } from "../../src/backup/history/upgrade_backup.ts";
import { SignalGate } from "../../src/backup/history/signal_gate.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, makeChained, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { assertFailed, BackupDirectories, event, okLine, runJson, verify } from "./run_backup.ts";
import { restore } from "./run_restore.ts";
import { ofStudent, SUBJECTS } from "./sealed_source.ts";
import { storedLines } from "./stored_lines.ts";

/* Backups of earlier versions, which have a hash chain and no tree. */

const HASH_CHAIN = /the hash chain differs: at least one of events 1 to 30 is not what was copied/;

function versionOf(file: string): number {
  return new DataView(Deno.readFileSync(file).buffer).getInt32(60);
}

Deno.test("list, verify, export and restore accept a backup with a hash chain, and do not change it", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(30));
  const { stdout: withTree } = await verify(place);
  const { stdout: exported } = await place.run({ args: ["export"] });
  makeChained(place.file(storeId));
  const before = Deno.readFileSync(place.file(storeId));
  assert.match(withTree, okLine(storeId, 30));
  assert.equal((await verify(place)).stdout, withTree, "the root is the same");
  assert.match((await place.run({ args: ["list"] })).stdout, new RegExp(`^${storeId} +30 `, "m"));
  assert.equal((await place.run({ args: ["export"] })).stdout, exported);
  assert.equal((await restore(place, "--to", "whole")).code, 0);
  assert.equal((await restore(place, "--to", "part", "--until", "7")).code, 0);
  for (const [name, events] of [["whole", 30], ["part", 7]] as const) {
    await using server = await startServer({ env: { SERVICE_DATA_DIR: join(place.directory, name) } });
    assert.equal((await server.client().allEvents()).length, events);
  }
  assert.deepEqual(Deno.readFileSync(place.file(storeId)), before);

  change(place.file(storeId), (db) => db.run("UPDATE event SET time = time + 1 WHERE sequence = 9"));
  assert.match((await verify(place)).stdout, HASH_CHAIN);
  assert.match((await place.run({ args: ["export"] })).stderr, HASH_CHAIN);
  assertFailed(await restore(place, "--to", "other"), 1, HASH_CHAIN);
});

for (const env of [{}, SUBJECTS]) {
  const [kind, before, after] = env === SUBJECTS ? ["with subjects", 3, 7] : ["without subjects", 2, 6];
  Deno.test(`the next run replaces the hash chain of a backup ${kind} by a tree, once, and says so`, async () => {
    await using server = await startServer({ env });
    const client = server.client();
    await client.append(ofStudent("s1"), event("2"));
    using place = new BackupDirectories(server.address);
    assert.equal((await place.run()).code, 0);
    const storeId = await client.storeId();
    const file = place.file(storeId);
    assert.equal(versionOf(file), after);
    makeChained(file);
    assert.equal(versionOf(file), before);
    await client.append(event("3"));
    const { code, stdout, stderr } = await place.run();
    assert.deepEqual([code, stderr], [0, ""]);
    const [said, summary, ...rest] = stdout.split("\n");
    assert.equal(
      said,
      `eventstore-backup: checked the hash chain of 2 events in ${file}, and replaced it by a Merkle tree; ` +
        "earlier versions of this program can no longer read it",
    );
    assert.match(summary!, /^eventstore-backup: copied 1 event from /);
    assert.deepEqual(rest, [""]);
    assert.equal(versionOf(file), after);
    assert.equal(storedLines(file).length, 3);
    assert.match((await verify(place)).stdout, /: ok, 3 events(, 1 encrypted)?; root /);
    change(file, (db) => assert.deepEqual(db.get("SELECT length(chain) FROM origin"), [0]));
    await client.append(event("4"));
    assert.match((await place.run()).stdout, /^eventstore-backup: copied 1 event from [^\n]+\n$/);
    makeChained(file);
    assert.equal((await runJson(place)).ok, true, "with --json only the summary is printed");
    assert.equal(versionOf(file), after);
  });
}

Deno.test("a run does not upgrade a backup whose hash chain differs, and changes nothing", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(...Array.from({ length: 30 }, (_, i) => event(String(i))));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const file = place.file(await client.storeId());
  makeChained(file);
  await client.append(event("31"));
  const damages = [
    ["UPDATE event SET time = time + 1 WHERE sequence = 9", HASH_CHAIN],
    ["DELETE FROM event WHERE sequence = 17", /event 17 is missing/],
  ] as const;
  for (const [sql, expected] of damages) {
    change(file, (db) => db.run(sql));
    const before = Deno.readFileSync(file);
    const ended = await place.run();
    assertFailed(ended, 1, expected);
    assert.match(ended.stderr, /\.db is damaged, nothing was changed: /);
    assert.deepEqual(Deno.readFileSync(file), before);
  }
});

Deno.test("the check before an upgrade reports its progress, and a signal ends it", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(5000));
  const file = place.file(storeId);
  makeChained(file);
  const stop = new AbortController();
  const seen: number[] = [];
  const check = (): ReturnType<typeof treeOfChained> =>
    treeOfChained(file, storeId, new SignalGate(stop.signal), (sequence, head) => {
      assert.equal(head, 5000);
      seen.push(sequence);
    });
  assert.equal((await check())?.count, 5000);
  assert.ok(seen.length > 2);
  assert.equal(seen.at(-1), 5000);
  stop.abort(new Error("stopped by SIGTERM"));
  await assert.rejects(check(), /^Error: stopped by SIGTERM$/);
  assert.equal(versionOf(file), 2);
});
