import assert from "node:assert/strict";
import { ClientDisconnected } from "../../../../src/model/errors.ts";
import type { ChunkRequest } from "../../../../src/store/api/chunk.ts";
import { eventually } from "../../../support/eventually.ts";
import { EVERYTHING, sequencesOf } from "../../chunks.ts";
import { newEvent } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { testPool } from "./test_pool.ts";

/* Tests how waiting reads are distributed to the readers: their order, their groups, and clients that disconnect. */

Deno.test("a thousand reads whose clients disconnect while they wait free their slots at once", async () => {
  using store = new TestStore();
  await using pool = testPool(store, 1);
  const running = pool.chunk(EVERYTHING);
  const leaving = new AbortController();
  const client = { disconnected: leaving.signal };
  const key = { type: "p", id: "1" };
  const gone = Array.from({ length: 500 }, () => [
    assert.rejects(pool.chunk(EVERYTHING, client), ClientDisconnected),
    assert.rejects(pool.projection(key, client), ClientDisconnected),
  ]).flat();
  const staying = pool.ping();
  leaving.abort();
  await Promise.all(gone);
  await assert.rejects(
    pool.chunk(EVERYTHING, client),
    ClientDisconnected,
    "one who has already left does not wait",
  );
  // All slots are free again.
  const later = Array.from({ length: 999 }, () => pool.projection(key));
  await Promise.all([running, staying, ...later]);
  assert.equal(pool.inUse, 0);
});

Deno.test("a read that finds a reader never asks whether its client is connected", async () => {
  using store = new TestStore();
  await using pool = testPool(store, 1);
  const client = {
    get disconnected(): AbortSignal {
      throw new Error("asked");
    },
  };
  await pool.ping();
  for (let i = 0; i < 3; i++) assert.equal((await pool.chunk(EVERYTHING, client)).events, 0);
});

Deno.test("the next parts of pages and other reads alternate, and urgent reads go first", async () => {
  using store = new TestStore();
  await using pool = testPool(store, 1);
  const order: string[] = [];
  const read = (name: string, reading: Promise<unknown>): Promise<unknown> =>
    reading.then(() => order.push(name));
  const nextPart = { ...EVERYTHING, head: 0 };
  await Promise.all([
    read("first", pool.chunk(EVERYTHING)),
    ...["n1", "n2", "n3"].map((name) => read(name, pool.chunk(nextPart))),
    ...["r1", "r2"].map((name) => read(name, pool.projection({ type: "p", id: name }))),
    read("ping", pool.ping()),
  ]);
  assert.deepEqual(order, ["ping", "n1", "first", "n2", "r1", "n3", "r2"]);
});

Deno.test("reads that may be executed together each get their own answer, also the left-over ones", async () => {
  using store = new TestStore();
  // So large that a few of them fill one call.
  store.append(Array.from({ length: 20 }, (_, i) => ({ ...newEvent(`t${i}`), payload: "x".repeat(20_000) })));
  await using pool = testPool(store, 1);
  const reads = Array.from(
    { length: 20 },
    (_, i) => pool.chunk({ ...EVERYTHING, afterSequence: i, limit: 1 }),
  );
  const projection = pool.projection({ type: "p", id: "1" });
  const chunks = await Promise.all(reads);
  assert.deepEqual(chunks.map(sequencesOf), Array.from({ length: 20 }, (_, i) => [i + 1]));
  assert.equal((await projection).projection, undefined);
  assert.equal(pool.inUse, 0);
});

Deno.test("a read that fails among others that wait fails alone", async () => {
  using store = new TestStore();
  // Few events would be scanned without the index.
  store.append([newEvent("gone"), ...Array.from({ length: 200 }, () => newEvent("t"))]);
  store.db.run("DELETE FROM event WHERE sequence = 1");
  await using pool = testPool(store, 1);
  const query = [{ types: ["gone"], identifiers: [], metadata: [] }];
  const failing = { ...EVERYTHING, query };
  const reads = [EVERYTHING, failing, EVERYTHING, failing, EVERYTHING].map((request) => pool.chunk(request));
  const results = await Promise.allSettled(reads);
  const [read, failed] = ["fulfilled", "rejected"];
  assert.deepEqual(results.map(({ status }) => status), [read, failed, read, failed, read]);
});

Deno.test("the left-over reads of one reader are taken by another that has become idle", async () => {
  using store = new TestStore();
  store.append(
    Array.from({ length: 20_000 }, () => newEvent("t")),
    Array.from({ length: 20_000 }, (_, i) => i % 2 === 0 ? 0 : 2),
  );
  await using pool = testPool(store, 2, { usual: 2, forShort: 2 });
  // All events are scanned, which takes longer than reads are executed together.
  const slow = { ...EVERYTHING, time: { fromMicros: 1, beforeMicros: 2 } };
  const quick = { ...EVERYTHING, limit: 1 };
  while (pool.size < 2 || pool.inUse > 0) await Promise.all([pool.chunk(slow), pool.chunk(slow)]);
  let slowLeft = 10;
  let busy = 0;
  const reads = [quick, quick, ...Array(slowLeft).fill(slow), ...Array(10).fill(quick)];
  await Promise.all(reads.map(async (request) => {
    await pool.chunk(request);
    if (request === slow && --slowLeft >= 2 && pool.inUse === 2) busy++;
  }));
  assert.ok(busy >= 5, `after ${busy} of the slow reads both readers were busy`);
});

Deno.test("short reads behind a long one are executed by another reader before it ends", async () => {
  using store = new TestStore();
  store.append(
    Array.from({ length: 60_000 }, () => newEvent("t")),
    Array.from({ length: 60_000 }, (_, i) => i % 2 === 0 ? 0 : 2),
  );
  await using pool = testPool(store, 2, { usual: 2, forShort: 1, slowMilliseconds: 5 });
  // Every event is scanned, until the chunk ends after 25 ms.
  const slow = { ...EVERYTHING, time: { fromMicros: 1, beforeMicros: 2 } };
  const quick = { ...EVERYTHING, limit: 1 };
  await eventually(async () => {
    const order: string[] = [];
    const read = async (name: string, request: ChunkRequest): Promise<void> => {
      await pool.chunk(request);
      order.push(name);
    };
    await Promise.all([read("slow", slow), read("a", quick), read("b", quick), read("c", quick)]);
    assert.deepEqual(order, ["a", "b", "c", "slow"]);
  });
  assert.equal(pool.inUse, 0);
  assert.equal(pool.size, 2);
});
