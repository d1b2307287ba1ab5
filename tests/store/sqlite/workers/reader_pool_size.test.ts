import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import type { PrefetchedChunk } from "../../../../src/store/core/read_ahead.ts";
import { eventually } from "../../../support/eventually.ts";
import { EVERYTHING } from "../../chunks.ts";
import { newEvent } from "../../made_writes.ts";
import { TestDirectory, TestStore } from "../../test_store.ts";
import { testPool } from "./test_pool.ts";

/* Tests when the pool starts a reader and when it ends one. */

Deno.test("a reader that cannot be opened fails the reads that wait for it, none hangs, and a later one is opened anew", async () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  await using pool = testPool({ path }, 2);
  const reads = Array.from({ length: 6 }, () => pool.ping());
  const results = await Promise.allSettled(reads);
  assert.deepEqual(results.map(({ status }) => status), Array(6).fill("rejected"));
  assert.equal(pool.inUse, 0);
  createDatabase(path);
  // Keeps the -wal and -shm files that a reader needs.
  const db = openForWriting(path);
  await Promise.all(Array.from({ length: 6 }, () => pool.ping()));
  assert.equal(pool.inUse, 0);
  db.close();
});

Deno.test("readers are started one after the other, up to the maximum", async () => {
  using store = new TestStore();
  await using pool = testPool(store, 3, {
    usual: 3,
    forShort: 3,
    longMilliseconds: 100,
    spareMilliseconds: 10_000,
  });
  const reads = Array.from({ length: 20 }, () => pool.chunk(EVERYTHING));
  assert.equal(pool.inUse, 0, "none is ready yet");
  let inUseMax = 0;
  for (const read of reads) read.then(() => inUseMax = Math.max(inUseMax, pool.inUse));
  await Promise.all(reads);
  assert.ok(inUseMax >= 1 && inUseMax <= 3, `${inUseMax} readers`);
  assert.equal(pool.inUse, 0);
});

Deno.test("short reads start no more readers than usual, even when many wait", async () => {
  using store = new TestStore();
  await using pool = testPool(store, 4, { usual: 2, forShort: 2, spareMilliseconds: 1 });
  for (let i = 0; i < 3; i++) {
    await Promise.all(Array.from({ length: 50 }, () => pool.chunk(EVERYTHING)));
    assert.ok(pool.size <= 2, `${pool.size} readers`);
  }
});

Deno.test("during long reads more readers start, up to the maximum, and end when they are not needed", async () => {
  using store = new TestStore();
  // Every read counts as long at once.
  await using pool = testPool(store, 3, {
    usual: 1,
    forShort: 1,
    slowMilliseconds: 0,
    longMilliseconds: 0,
    spareMilliseconds: 20,
  });
  let isOver = false;
  const reading = Array.from({ length: 20 }, async () => {
    while (!isOver) await pool.chunk(EVERYTHING);
  });
  await eventually(() => assert.equal(pool.size, 3));
  isOver = true;
  await Promise.all(reading);
  await eventually(() => assert.equal(pool.size, 1));
  assert.equal(pool.inUse, 0);
  await pool.ping();
});

Deno.test("a chunk is read ahead only while no read waits for a reader, for a few pages, and starts a second reader only", async () => {
  using store = new TestStore();
  store.append([newEvent("t")]);
  await using pool = testPool(store, 4, { usual: 3, forShort: 2 });
  const client = { disconnected: new AbortController().signal };
  const nextPart = { ...EVERYTHING, head: 1 };
  const ahead = (): PrefetchedChunk | undefined => pool.prefetchChunk(nextPart, client);
  await pool.ping();
  using first = ahead();
  using second = ahead();
  assert.equal(ahead(), undefined, "one is busy, another is being started");
  assert.equal((await first!.take()).events, 1);
  assert.equal((await second!.take()).events, 1);
  await eventually(() => assert.deepEqual([pool.size, pool.inUse], [2, 0]));
  const running = [pool.ping(), pool.ping()];
  assert.equal(ahead(), undefined, "both are busy");
  await Promise.all(running);
  assert.equal(pool.size, 2);
  using held = new DisposableStack();
  for (let i = 2; i < 8; i++) await held.use(ahead())!.take();
  assert.equal(ahead(), undefined, "eight are enough");
  held.dispose();
  using another = ahead();
  assert.equal((await another!.take()).events, 1);
});
