import assert from "node:assert/strict";
import { join } from "node:path";
import { isThere } from "../../src/files/is_there.ts";
import { namesIn } from "../support/directory.ts";
import { startServer } from "../support/server_process.ts";
import { change, makeBackup, placeWithoutSource, sampleEvents } from "./made_backup.ts";
import { assertFailed, event } from "./run_backup.ts";
import { restore, restoredId } from "./run_restore.ts";

Deno.test("an existing database is replaced with --force only, and only by a complete one", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, sampleEvents(5));
  const damaged = makeBackup(place, sampleEvents(5));
  change(place.file(damaged), (db) => db.run("DELETE FROM time_block"));
  const dataDir = join(place.directory, "data");
  await using server = await startServer({ env: { SERVICE_DATA_DIR: dataDir } });
  const old = await server.client().storeId();
  await server.client().append(event("old 1"));
  for (const args of [[], ["--force"], ["--dry-run", "--force"]]) {
    assertFailed(
      await restore(place, "--to", "data", whole, ...args),
      1,
      /data is in use by another process/,
    );
  }
  assert.equal((await server.client().allEvents()).length, 1, "the server goes on");

  // The kill leaves an event in the WAL, which belongs to the old database. (An idle server empties the WAL.)
  await server.client().append(event("old 2"));
  await server.kill();
  assert.ok(Deno.statSync(join(dataDir, "events.db-wal")).size > 0);
  assertFailed(await restore(place, "--to", "data", whole), 1, /already exists; --force replaces it/);
  assertFailed(await restore(place, "--to", "data", "--force", damaged), 1, /the time index differs/);
  await server.start();
  assert.equal(await server.client().storeId(), old);
  assert.equal((await server.client().allEvents()).length, 2, "the old one is untouched");

  await server.client().append(event("old 3"));
  await server.kill();
  assert.ok(Deno.statSync(join(dataDir, "events.db-wal")).size > 0);
  const storeId = restoredId(await restore(place, "--to", "data", "--force", whole));
  await server.start();
  assert.equal(await server.client().storeId(), storeId);
  assert.deepEqual(
    (await server.client().allEvents()).map(({ type }) => type),
    [0, 1, 0, 1, 0].map((n) => `type ${n}`),
  );
});

Deno.test("without --force, whatever is at the path of the database stays, and a WAL that cannot be read even with it", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3));
  const dataDir = join(place.directory, "data");
  const path = join(dataDir, "events.db");
  Deno.mkdirSync(dataDir);
  for (const content of ["", "somebody else's"]) {
    Deno.writeTextFileSync(path, content);
    assertFailed(await restore(place, "--to", "data"), 1, /already exists/);
    Deno.writeTextFileSync(`${path}-wal`, "what is it?");
    assertFailed(
      await restore(place, "--to", "data", "--force"),
      1,
      /cannot be replaced safely because of .*-wal: /,
    );
    assert.equal(Deno.readTextFileSync(path), content);
    Deno.removeSync(`${path}-wal`);
  }
  restoredId(await restore(place, "--to", "data", "--force"));
  Deno.removeSync(path);
  Deno.writeTextFileSync(`${path}-wal`, "left alone");
  assertFailed(await restore(place, "--to", "data"), 1, /already exists/);
  Deno.writeTextFileSync(join(place.directory, "file"), "");
  assertFailed(await restore(place, "--to", "file"), 1, /the data directory \/.+\/file cannot be created/);
});

Deno.test("something other than a file stays at the path of the database, also with --force, and nothing is copied first", async () => {
  using place = placeWithoutSource();
  makeBackup(place, sampleEvents(3));
  const dataDir = join(place.directory, "data");
  Deno.mkdirSync(join(dataDir, "events.db"), { recursive: true });
  for (const args of [[], ["--force"], ["--force", "--dry-run"]]) {
    const ended = await restore(place, "--to", "data", ...args);
    assertFailed(ended, 1, /: \/.+\/data\/events\.db is not a regular file; it will not be replaced$/m);
  }
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
});

Deno.test("a pause of edition C ends with the database that was paused, and not before", async () => {
  using place = placeWithoutSource();
  const whole = makeBackup(place, sampleEvents(3));
  const damaged = makeBackup(place, sampleEvents(3));
  change(place.file(damaged), (db) => db.run("DELETE FROM time_block"));
  const dataDir = join(place.directory, "data");
  await using server = await startServer({ env: { SERVICE_EDITION: "C", SERVICE_DATA_DIR: dataDir } });
  assert.equal((await server.client().request("POST", "/pause")).status, 204);
  await server.stop();
  assertFailed(await restore(place, "--to", "data", "--force", damaged), 1, /the time index differs/);
  assert.ok(isThere(join(dataDir, "service.paused")));
  restoredId(await restore(place, "--to", "data", "--force", whole));
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
  await server.start();
  assert.equal((await server.client().request("POST", "/begin")).status, 200);
});
