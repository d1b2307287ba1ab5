import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { join } from "node:path";
import { pageBlock } from "../support/page_block.ts";
import { makePrograms } from "../support/programs.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";
import { assertFailed, BackupDirectories, event } from "./run_backup.ts";

/* docs/restore.md describes how a copy of the file replaces its store. */

/** Copies the file of a running server with `VACUUM INTO`, as the page does. */
function copyRunning(server: ServerProcess, to: string): void {
  using db = new DatabaseSync(server.databasePath, { readOnly: true });
  db.prepare("VACUUM INTO ?").run(to);
}

/** Replaces the store of a stopped server by a copy. */
function replaceBy(server: ServerProcess, copy: string): void {
  for (const end of ["", "-wal", "-shm"]) {
    try {
      Deno.removeSync(server.databasePath + end);
    } catch {
      // After a clean stop there is only the database.
    }
  }
  Deno.copyFileSync(copy, server.databasePath);
}

Deno.test("the files of a stopped server can move: store ID, positions and projections stay", async () => {
  await using server = await startServer();
  const create = [{ type: "course", id: "c1", payload: "seats" }];
  await server.client().write({ events: [event("1"), event("2")], projections: { create } });
  const store = await server.client().storeId();
  await server.stop();
  using place = new BackupDirectories(server.address);
  const moved = join(place.directory, "moved");
  Deno.mkdirSync(moved);
  Deno.copyFileSync(server.databasePath, join(moved, "events.db"));
  await using other = await startServer({ env: { SERVICE_DATA_DIR: moved } });
  const client = other.client();
  const { events, store: movedStore } = await client.queryEvents("*", { afterSequence: 1 });
  assert.deepEqual([movedStore, events.map(({ payload }) => payload)], [store, ["2"]]);
  assert.equal((await client.request("GET", "/projections/course/c1")).text, "seats");
  assert.equal(
    (await client.write({ conditions: [{ afterSequence: 2, store }], events: [event("3")] })).status,
    200,
  );
});

Deno.test("a copy of the file keeps the store ID and hides that it is older; exported and imported, it does not", async () => {
  await using server = await startServer();
  const client = server.client();
  using place = new BackupDirectories(server.address);
  await client.append(event("1"), event("2"));
  const copy = join(place.directory, "copy");
  Deno.mkdirSync(copy);
  copyRunning(server, join(copy, "events.db"));
  await client.append(event("3"), event("4"));
  const store = await client.storeId();
  assert.equal((await place.run()).code, 0);

  await server.stop();
  replaceBy(server, join(copy, "events.db"));
  await server.start();
  assert.equal(await client.storeId(), store, "the copy has the same store ID");
  await client.append(event("other 3"));
  assert.deepEqual((await client.queryEvents("*", { afterSequence: 4 })).events, [], "a reader misses it");
  const stale = { conditions: [{ afterSequence: 4, store }], events: [event("other 5")] };
  assert.equal((await client.write(stale)).status, 409, "an old decision is ahead of the copy");
  await client.append(event("other 4"));
  assert.equal((await client.write(stale)).status, 200, "later it passes");
  assertFailed(await place.run(), 1, /has a different event 4, .* although the store ID is the same/);
  assert.match((await place.run({ args: ["verify", "--against-source"] })).stdout, /: not ok: /);

  await server.stop();
  const path = `${await makePrograms(place.directory)}:${Deno.env.get("PATH")}`;
  const page = pageBlock(
    "restore.md",
    "# /srv/copy holds the copy, as events.db; /srv/events becomes the data directory:",
  );
  const ended = await new Deno.Command("sh", {
    args: ["-e", "-c", page.replaceAll("/srv/", `${place.directory}/`)],
    cwd: place.directory,
    env: { PATH: path },
  }).output();
  assert.equal(ended.code, 0, new TextDecoder().decode(ended.stderr));
  replaceBy(server, join(place.directory, "events", "events.db"));
  await server.start();
  assert.notEqual(await client.storeId(), store, "now it is a history of its own");
  assert.deepEqual((await client.queryEvents()).events.map(({ payload }) => payload), ["1", "2"]);
  const rejected = await client.write(stale);
  assert.equal(rejected.status, 409);
  assert.match(rejected.text, /was read on another store/);
});
