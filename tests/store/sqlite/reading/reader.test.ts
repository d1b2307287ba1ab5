import assert from "node:assert/strict";
import { Reader } from "../../../../src/store/sqlite/reading/reader.ts";
import type { ChunkRequest } from "../../../../src/store/api/chunk.ts";
import { EVERYTHING, typesOf } from "../../chunks.ts";
import { newEvent } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

/** Moves the WAL into the file and starts it again. A transaction that a reader holds open prevents that. */
function isWalFree(store: TestStore): boolean {
  return store.db.get("PRAGMA wal_checkpoint(TRUNCATE)")?.[0] === 0;
}

Deno.test("a read leaves no transaction open, not even when it fails", () => {
  using store = new TestStore();
  store.db.all("PRAGMA busy_timeout = 0");
  const reader = Reader.open(store.path);
  const reads = [() => reader.chunk(EVERYTHING), () => reader.projection({ type: "p", id: "1" })];
  for (const read of reads) {
    read();
    store.append([newEvent("t")]);
    assert.equal(isWalFree(store), true);
  }
  store.db.script("ALTER TABLE event RENAME TO elsewhere; ALTER TABLE projection RENAME TO gone");
  for (const read of [...reads, ...reads]) assert.throws(read, /no such table/);
  store.db.script("ALTER TABLE elsewhere RENAME TO event; ALTER TABLE gone RENAME TO projection");
  assert.equal(isWalFree(store), true);
  assert.equal(reader.chunk(EVERYTHING).events, 2);
  reader.close();
});

Deno.test("reads that are executed together see one snapshot, and each fails alone", () => {
  using store = new TestStore();
  // Few events would be scanned without the index.
  store.append([newEvent("a"), newEvent("gone"), ...Array.from({ length: 200 }, () => newEvent("other"))]);
  store.db.run("DELETE FROM event WHERE sequence = 2");
  const reader = Reader.open(store.path);
  const of = (type: string): ChunkRequest => ({
    ...EVERYTHING,
    query: [{ types: [type], identifiers: [], metadata: [] }],
  });
  reader.together(() => {
    assert.deepEqual(typesOf(reader.chunk(of("a"))), ["a"]);
    store.append([newEvent("a")]);
    assert.throws(() => reader.chunk(of("gone")), /names an event that does not exist/);
    assert.deepEqual(typesOf(reader.chunk(of("a"))), ["a"]);
  });
  assert.equal(isWalFree(store), true);
  assert.deepEqual(typesOf(reader.chunk(of("a"))), ["a", "a"]);
  reader.close();
});
