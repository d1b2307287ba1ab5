import assert from "node:assert/strict";
import { Refusal } from "../../src/model/errors.ts";
import type { Chunk } from "../../src/store/read_chunk.ts";
import { StoreFileError } from "../../src/store/database_file.ts";
import { initStore } from "../../src/store/init_store.ts";
import { Store } from "../../src/store/store.ts";
import { newEvent, queryOf, storeWrite, tag, TestDirectory } from "./test_store.ts";

async function withStore(readersMax: number, run: (store: Store) => Promise<void>): Promise<void> {
  using directory = new TestDirectory();
  const store = await Store.open({ dataDir: directory.path, readersMax });
  try {
    await run(store);
  } finally {
    await store.close();
  }
}

function readAll(store: Store, eventsMax = Infinity): Promise<Chunk> {
  return store.readChunk({ query: "every", after: 0, head: undefined, eventsMax });
}

Deno.test("a store that is opened anew keeps its ID, its events and its projections, and leaves no WAL behind", async () => {
  using directory = new TestDirectory();
  const options = { dataDir: directory.path, readersMax: 2 };
  const first = await Store.open(options);
  assert.deepEqual([first.opened.created, first.opened.head], [true, 0]);
  const projections = { create: [{ type: "p", id: "\u0000", payload: "" }], replace: [], delete: [] };
  const end = await first.group([storeWrite([newEvent("t"), newEvent("t")], { projections })]);
  assert.equal(end.storeId, first.storeId);
  await readAll(first);
  await first.close();
  const names = [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
  assert.deepEqual(names, ["events.db", "events.lock"]);
  const second = await Store.open(options);
  assert.deepEqual(second.opened, {
    storeId: first.storeId,
    head: 2,
    created: false,
    pausedSinceMicros: undefined,
  });
  assert.equal((await readAll(second)).events, 2);
  const { storeId, projection } = await second.readProjection({ type: "p", id: "\u0000" });
  assert.equal(storeId, first.storeId);
  assert.equal(projection?.payload.length, 0);
  assert.equal((await second.readProjection({ type: "p", id: "" })).projection, undefined);
  await second.close();
});

Deno.test("reads see a write as soon as it was answered, on every reader", async () => {
  await withStore(4, async (store) => {
    for (let i = 1; i <= 20; i++) {
      await store.group([storeWrite([newEvent("t")])]);
      const chunks = await Promise.all(Array.from({ length: 8 }, () => readAll(store)));
      assert.deepEqual(chunks.map(({ events }) => events), Array(8).fill(i));
    }
  });
});

Deno.test("a reset changes the store ID, and reads tell it together with what they found", async () => {
  await withStore(1, async (store) => {
    const before = store.storeId;
    await store.group([storeWrite([newEvent("t")])]);
    assert.equal(await store.reset(), undefined);
    assert.notEqual(store.storeId, before);
    const chunk = await readAll(store);
    assert.deepEqual([chunk.storeId, chunk.head, chunk.events], [store.storeId, 0, 0]);
    assert.equal((await store.group([storeWrite([])])).storeId, store.storeId);
  });
});

Deno.test("readers are started on demand, never more than the pool holds, and share the reads", async () => {
  await withStore(3, async (store) => {
    await store.group([storeWrite(Array.from({ length: 500 }, () => newEvent("t", [tag("n", "v")])))]);
    assert.equal(store.readersInUse, 0);
    const reading = Array.from({ length: 30 }, () => readAll(store));
    assert.equal(store.readersInUse, 3);
    assert.deepEqual((await Promise.all(reading)).map(({ events }) => events), Array(30).fill(500));
    assert.equal(store.readersInUse, 0);
    assert.equal(store.readersMax, 3);
  });
});

Deno.test("a thousand reads may wait for a reader, one more is refused as Unavailable", async () => {
  await withStore(1, async (store) => {
    await store.ping();
    const reads = Array.from({ length: 1001 }, () => store.readProjection({ type: "p", id: "1" }));
    await assert.rejects(store.readProjection({ type: "p", id: "1" }), (error) => {
      assert.ok(error instanceof Refusal && error.code === "Unavailable");
      return true;
    });
    assert.equal((await Promise.all(reads)).length, 1001);
  });
});

Deno.test("whether the database can be reached is found out however many reads wait, and before them", async () => {
  await withStore(1, async (store) => {
    await store.ping();
    let answered = 0;
    const reads = Array.from({ length: 1001 }, async () => {
      await store.readProjection({ type: "p", id: "1" });
      answered++;
    });
    await store.ping();
    assert.ok(answered < 10, `${answered} reads came first`);
    await Promise.all(reads);
  });
});

Deno.test("a read that fails in SQLite fails alone; its reader goes on", async () => {
  await withStore(1, async (store) => {
    await store.group([storeWrite([newEvent("t")])]);
    const wrong = { query: queryOf(["t"]), after: Number.NaN, head: undefined, eventsMax: 1 };
    await assert.rejects(store.readChunk(wrong), /NaN|BigInt|number/i);
    assert.equal((await readAll(store)).events, 1);
    assert.equal(store.readersInUse, 0);
  });
});

Deno.test("reads do not wait for a write that runs", async () => {
  await withStore(1, async (store) => {
    const many = Array.from({ length: 20_000 }, () => newEvent("t", [tag("n", "v")]));
    await readAll(store);
    let written = false;
    const writing = store.group([storeWrite(many)]).then(() => written = true);
    for (let i = 0; i < 5; i++) assert.equal((await readAll(store)).events, 0);
    assert.equal(written, false, "the write is still running");
    await writing;
    assert.ok((await readAll(store)).events > 0);
  });
});

Deno.test("a second store on the same directory is refused, and is free again after close", async () => {
  using directory = new TestDirectory();
  const options = { dataDir: directory.path, readersMax: 1 };
  const first = await Store.open(options);
  await assert.rejects(Store.open(options), (error) => {
    assert.ok(error instanceof StoreFileError && error.message.includes(directory.path));
    return true;
  });
  await first.close();
  await (await Store.open(options)).close();
});

const damages: readonly [what: string, damage: (path: string) => void][] = [
  ["of no bytes", (path) => Deno.truncateSync(path, 0)],
  ["of something else", (path) => Deno.writeTextFileSync(path, "something else\n".repeat(1000))],
  ["that was cut off", (path) => Deno.truncateSync(path, 4096)],
  ["that was cut off beside an empty WAL", (path) => {
    Deno.truncateSync(path, 4096);
    Deno.writeFileSync(`${path}-wal`, new Uint8Array());
  }],
  ["whose pages behind the first are garbage", (path) => {
    const bytes = Deno.readFileSync(path);
    Deno.writeFileSync(path, bytes.fill(0xa5, 4096));
  }],
];
for (const [what, damage] of damages) {
  Deno.test(`a file ${what} is refused in one line that names it, its bytes stay, and the lock is freed`, async () => {
    using directory = new TestDirectory();
    const { path } = initStore(directory.path);
    damage(path);
    const before = Deno.readFileSync(path);
    for (let attempt = 0; attempt < 2; attempt++) {
      await assert.rejects(Store.open({ dataDir: directory.path, readersMax: 1 }), (error) => {
        assert.ok(error instanceof StoreFileError, String(error));
        assert.ok(error.message.includes(path) && !error.message.includes("\n"), error.message);
        return true;
      });
    }
    assert.deepEqual(Deno.readFileSync(path), before);
  });
}
