import assert from "node:assert/strict";
import { Reader } from "../../../../src/store/sqlite/reading/reader.ts";
import type { ChunkRequest } from "../../../../src/store/chunk.ts";
import { EVERYTHING, typesOf } from "../../chunks.ts";
import { newEvent } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

/** Moves the WAL into the file and starts it again, which a transaction that a reader holds open prevents. */
function isWalFree(store: TestStore): boolean {
  return store.db.get("PRAGMA wal_checkpoint(TRUNCATE)")?.[0] === 0;
}

Deno.test("a read leaves no transaction open, not even when it fails", () => {
  using store = new TestStore();
  store.db.all("PRAGMA busy_timeout = 0");
  const reader = Reader.open(store.path);
  const reads = [() => reader.chunks([EVERYTHING]), () => reader.projection({ type: "p", id: "1" })];
  for (const read of reads) {
    read();
    store.append([newEvent("t")]);
    assert.equal(isWalFree(store), true);
  }
  store.db.script("ALTER TABLE event RENAME TO elsewhere; ALTER TABLE projection RENAME TO gone");
  for (const read of [...reads, ...reads]) assert.throws(read, /no such table/);
  store.db.script("ALTER TABLE elsewhere RENAME TO event; ALTER TABLE gone RENAME TO projection");
  assert.equal(isWalFree(store), true);
  assert.equal(reader.chunks([EVERYTHING])[0]!.events, 2);
  reader.close();
});

const UNLIMITED = { milliseconds: Infinity, bytes: Infinity };

Deno.test("chunks are read together, each as it was asked for", () => {
  using store = new TestStore();
  store.append([newEvent("a"), newEvent("b"), newEvent("c")]);
  const reader = Reader.open(store.path);
  const requests = [0, 1, 2, 3].map((afterSequence) => ({ ...EVERYTHING, afterSequence }));
  const chunks = reader.chunks(requests, UNLIMITED);
  assert.deepEqual(chunks.map(typesOf), [["a", "b", "c"], ["b", "c"], ["c"], []]);
  reader.close();
});

Deno.test("chunks are read together until they are large", () => {
  using store = new TestStore();
  store.append([{ ...newEvent("large"), payload: "x".repeat(30_000) }]);
  const reader = Reader.open(store.path);
  const read = (bytes: number): number =>
    reader.chunks(Array(10).fill(EVERYTHING), { ...UNLIMITED, bytes }).length;
  assert.deepEqual([1, 65_000, 100_000, 1_000_000].map(read), [1, 3, 4, 10]);
  reader.close();
});

Deno.test("chunks are read together until they have taken long", () => {
  using store = new TestStore();
  const reader = Reader.open(store.path);
  const read = (milliseconds: number): number =>
    reader.chunks(Array(1000).fill(EVERYTHING), { ...UNLIMITED, milliseconds }).length;
  assert.equal(read(0), 1);
  assert.equal(read(Infinity), 1000);
  reader.close();
});

Deno.test("a chunk that cannot be read fails all that are read together, and leaves no transaction open", () => {
  using store = new TestStore();
  // Few events would be looked at without the index.
  store.append([newEvent("a"), newEvent("gone"), ...Array.from({ length: 200 }, () => newEvent("other"))]);
  store.db.run("DELETE FROM event WHERE sequence = 2");
  const reader = Reader.open(store.path);
  const of = (type: string): ChunkRequest => ({
    ...EVERYTHING,
    query: [{ types: [type], identifiers: [], metadata: [] }],
  });
  assert.throws(() => reader.chunks([of("a"), of("gone")], UNLIMITED), /names an event that does not exist/);
  assert.equal(isWalFree(store), true);
  assert.equal(reader.chunks([of("a"), of("a")], UNLIMITED).length, 2);
  reader.close();
});
