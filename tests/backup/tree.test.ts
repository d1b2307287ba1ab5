import assert from "node:assert/strict";
import { join } from "node:path";
import { BLOCK_EVENTS } from "../../src/model/block_tree.ts";
import { schemaFaults } from "../../src/store/sqlite/backup/checks/file_check.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { oddEvents } from "./odd_events.ts";
import { assertFailed, BackupDirectories, event, runJson, verify } from "./run_backup.ts";
import { restore } from "./run_restore.ts";
import { forget, ofStudent, SUBJECTS } from "./sealed_source.ts";

/* The tree of a backup is that of `GET /proof`, and names the block of a changed event. */

async function proofOf(server: ServerProcess): Promise<{ head: number; root: string }> {
  const { status, text } = await server.client().request("GET", "/proof");
  assert.equal(status, 200, text);
  return JSON.parse(text);
}

async function rootIn(place: BackupDirectories, storeId: string): Promise<{ head: number; root: string }> {
  const { code, stdout } = await verify(place, storeId, "--json");
  assert.equal(code, 0, stdout);
  const { events: head, root } = JSON.parse(stdout);
  return { head, root };
}

Deno.test("after each run the root of the backup is that of GET /proof, also of encrypted and of older events", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(...oddEvents);
  await server.stop();
  await using sealed = await startServer({ env: { ...SUBJECTS, SERVICE_DATA_DIR: server.dataDir } });
  using place = new BackupDirectories(sealed.address);
  const storeId = await sealed.client().storeId();
  for (const count of [0, 1, 600, 700, 3]) {
    for (let n = 0; n < count; n += 100) {
      const events = Array.from({ length: Math.min(100, count - n) }, (_, i) => ofStudent(`s${i % 3}`));
      await sealed.client().append(event(`${n}`), ...events.slice(1));
    }
    assert.equal((await runJson(place, { SERVICE_BACKUP_PAGE_LIMIT: "250" })).ok, true);
    const { head, root } = await proofOf(sealed);
    assert.deepEqual(await rootIn(place, storeId), { head, root });
  }
  const before = await rootIn(place, storeId);
  assert.ok(before.head > BLOCK_EVENTS);
  await forget(sealed, "s1");
  assert.deepEqual(await rootIn(place, storeId), before, "forgetting changes no root");
});

Deno.test("verify names the block of a changed event, and counts further ones", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(3 * BLOCK_EVENTS + 10));
  const problem = async (...sequences: number[]): Promise<string> => {
    const replace = (found: string, by: string): void => {
      const sql = "UPDATE event SET body = replace(body, ?, ?) WHERE sequence IN";
      change(place.file(storeId), (db) => db.run(`${sql} (${sequences.join()})`, found, by));
    };
    replace(':"payload ', ':"Payload ');
    const { code, stdout } = await verify(place);
    assert.equal(code, 1);
    replace(':"Payload ', ':"payload ');
    return stdout.replace(/^\S+ not ok: |\n$/g, "");
  };
  const differs = "the Merkle tree differs: at least one of events";
  assert.equal(await problem(1), `${differs} 1 to 1024 is not what was copied`);
  assert.equal(await problem(2048), `${differs} 1025 to 2048 is not what was copied`);
  assert.equal(await problem(3082), `${differs} 3073 to 3082 is not what was copied`);
  assert.equal(
    await problem(1025, 1026, 3000, 3082),
    `${differs} 1025 to 2048 is not what was copied, and 2 more blocks differ`,
  );
  assert.equal((await verify(place)).code, 0);
});

Deno.test("a run does not continue a backup whose tree is damaged or of other events", async () => {
  await using server = await startServer();
  await server.client().append(event("1"), event("2"), event("3"));
  using place = new BackupDirectories(server.address);
  assert.equal((await place.run()).code, 0);
  const file = place.file(await server.client().storeId());
  change(file, (db) => db.run("UPDATE tree_block SET events = 2, roots = zeroblob(32)"));
  assertFailed(await place.run(), 1, /\.db is damaged: its Merkle tree is of 2 events, not 3$/m);
  change(file, (db) => db.run("UPDATE tree_block SET events = 3"));
  assertFailed(await place.run(), 1, /\.db is damaged: the Merkle tree has no block 0, or a damaged one$/m);
});

Deno.test("a restored store, whole or a part, and a copy that a server has opened have the schema of a store", async () => {
  using place = placeWithoutSource();
  const storeId = makeBackup(place, sampleEvents(5));
  assert.equal((await restore(place, "--to", "whole", storeId)).code, 0);
  assert.equal((await restore(place, "--to", "part", "--until", "3", storeId)).code, 0);
  const copy = join(place.directory, "copy");
  Deno.mkdirSync(copy);
  Deno.copyFileSync(place.file(storeId), join(copy, "events.db"));
  await using server = await startServer({ env: { SERVICE_DATA_DIR: copy } });
  assert.equal((await server.stop()).code, 0);
  for (const to of ["whole", "part", "copy"]) {
    change(`${place.directory}/${to}/events.db`, (db) => {
      assert.deepEqual(db.get("PRAGMA user_version"), [2]);
      assert.deepEqual(schemaFaults(db), []);
      assert.deepEqual(db.all("SELECT * FROM origin"), []);
    });
  }
});
