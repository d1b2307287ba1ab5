import assert from "node:assert/strict";
import { statfsSync } from "node:fs";
import { join } from "node:path";
import type { Client } from "../../support/client.ts";
import { eventually } from "../../support/eventually.ts";
import { failWrites } from "../../support/failing_writes.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { metrics } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";
import { sqliteTest, testsPostgres } from "../../support/test_storage.ts";
import { append, test } from "./every_edition.ts";

/* Tests the metrics of writes and files, in every edition. The documents of the editions do not name these metrics. */

const NONE_FAILED = {
  disk_full: 0,
  disk_error: 0,
  locked: 0,
  lost_files: 0,
  connection: 0,
  key_left: 0,
  other: 0,
};

/** Returns the number of failed writes by reason. */
async function failed(client: Client): Promise<Record<string, number>> {
  const samples = [...await metrics(client)].filter(([name]) => name.startsWith("service_writes_failed"));
  return Object.fromEntries(samples.map(([name, value]) => [/"(\w+)"/.exec(name)![1]!, value]));
}

test("writes that fail are counted, with their reason", async (server, client, edition) => {
  await append(client, edition);
  assert.deepEqual(await failed(client), NONE_FAILED);
  {
    using _failing = failWrites(server);
    assert.equal(await append(client, edition), 500);
    assert.deepEqual(await failed(client), { ...NONE_FAILED, other: 1 });
  }
  {
    // The lock is held for longer than the server waits for it.
    using _held = holdWriteLock(server);
    assert.equal(await append(client, edition), 503);
    assert.deepEqual(await failed(client), { ...NONE_FAILED, other: 1, locked: 1 });
  }
});

test("writes into a file that is gone are counted, and it has no size", async (server, client, edition) => {
  await append(client, edition);
  Deno.removeSync(server.databasePath);
  await eventually(() => assert.match(server.stderr, /writes are rejected until a restart/));
  assert.equal(await append(client, edition), 503);
  assert.deepEqual(await failed(client), { ...NONE_FAILED, lost_files: 1 });
  const samples = await metrics(client);
  for (const name of ["store_bytes", "store_wal_bytes", "disk_free_bytes"]) {
    assert.ok(!samples.has(`service_${name}`), `${name} of a file that may be another one`);
  }
}, sqliteTest);

test(
  "the sizes are those of the files, and the free space is that of their disk",
  async (server, client, edition) => {
    await append(client, edition);
    await eventually(async () => {
      const samples = await metrics(client);
      const sizes = [server.databasePath, `${server.databasePath}-wal`].map((path) =>
        Deno.statSync(path).size
      );
      assert.deepEqual(
        [samples.get("service_store_bytes"), samples.get("service_store_wal_bytes")],
        sizes,
      );
      assert.ok(sizes[0]! > 0);
      const { bavail, bsize, blocks } = statfsSync(server.dataDir);
      const free = samples.get("service_disk_free_bytes")!;
      assert.ok(Math.abs(free - bavail * bsize) < 1e9, `${free} bytes are free, not ${bavail * bsize}`);
      assert.equal(samples.get("service_disk_size_bytes"), blocks * bsize);
    });
  },
  sqliteTest,
);

Deno.test("writes that waited together are counted as a group", async () => {
  await using server = await startServer();
  const client = server.client();
  await append(client, "A");
  const writes: Promise<number>[] = [];
  {
    using _held = holdWriteLock(server);
    for (let i = 0; i < 4; i++) {
      writes.push(append(client, "A"));
      await waitForQueue(client, i);
    }
  }
  await Promise.all(writes);
  const samples = await metrics(client);
  const size = "service_write_group_size";
  // The first write had its own transaction. On SQLite, so does the second, and the others wait for it. On
  // PostgreSQL, the others join the second, since it waits, too.
  const { upTo1, upTo4, grouped } = testsPostgres()
    ? { upTo1: 1, upTo4: 2, grouped: 4 }
    : { upTo1: 2, upTo4: 3, grouped: 3 };
  assert.deepEqual(
    ["1", "2", "4"].map((le) => samples.get(`${size}_bucket{le="${le}"}`)),
    [upTo1, upTo1, upTo4],
  );
  assert.deepEqual([samples.get(`${size}_count`), samples.get(`${size}_sum`)], [upTo4, 5]);
  assert.equal(samples.get("service_writes_grouped_total"), grouped);
});

sqliteTest("a database behind a link is measured where it is", async () => {
  await using server = await startServer();
  await server.stop();
  const elsewhere = Deno.makeTempDirSync({ prefix: "eventstore_test_" });
  try {
    Deno.renameSync(server.databasePath, join(elsewhere, "other.db"));
    Deno.symlinkSync(join(elsewhere, "other.db"), server.databasePath);
    await server.start();
    await append(server.client(), "A");
    const samples = await metrics(server.client());
    assert.ok(samples.get("service_store_bytes")! > 0);
    assert.ok(samples.get("service_store_wal_bytes")! > 0);
    await server.stop();
  } finally {
    Deno.removeSync(elsewhere, { recursive: true });
  }
});
