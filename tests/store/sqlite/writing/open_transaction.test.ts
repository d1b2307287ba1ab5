import { delay } from "../../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { SqliteStore } from "../../../../src/store/sqlite/sqlite_store.ts";
import type { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { EVERYTHING, typesOf } from "../../chunks.ts";
import { ofTypes, unless } from "../../made_writes.ts";
import { DONE, written } from "../../outcomes.ts";
import { TestDirectory, TestStore } from "../../test_store.ts";
import { FAILING_COMMIT, FAILING_INSERT } from "./failing.ts";

/*
 * A transaction that stays open over several calls, when SQLite fails in it.
 */

/** The number of events that another connection sees. */
function committedEvents(store: TestStore): number {
  const reader = new DatabaseSync(store.path, { readOnly: true });
  try {
    return reader.prepare("SELECT count(*) AS n FROM event").get()!["n"] as number;
  } finally {
    reader.close();
  }
}

/** Asserts that no transaction is open and that the next one starts from the given head. */
function assertOver(store: TestStore, writer: Writer, head: number): void {
  const noTransaction = { kind: "failed", reason: "no transaction is open" } as const;
  writer.afterAnswer();
  assert.deepEqual([store.db.inTransaction, store.reported], [false, []]);
  assert.deepEqual(writer.writeInside(ofTypes("late")), noTransaction);
  assert.deepEqual(writer.commit(), noTransaction);
  assert.throws(() => writer.readChunkInside(EVERYTHING), /no transaction is open/);
  assert.throws(() => writer.readProjectionInside({ type: "p", id: "1" }), /no transaction is open/);
  writer.rollback();
  assert.equal(committedEvents(store), head);
  assert.deepEqual(writer.begin(), DONE);
  assert.equal(written(writer.writeInside(unless("good", head, "next"))).firstSequence, head + 1);
  assert.deepEqual(writer.commit(), DONE);
}

Deno.test("a write that fails inside a transaction ends it, with everything that was written before", () => {
  using store = new TestStore();
  store.db.script(FAILING_INSERT);
  const writer = store.openWriter();
  writer.group([ofTypes("old")]);
  writer.begin();
  writer.writeInside(ofTypes("good"));
  assert.deepEqual(writer.writeInside(ofTypes("good", "bad")), { kind: "failed", reason: "marked to fail" });
  assertOver(store, writer, 1);
});

Deno.test("a read that fails inside a transaction ends it", () => {
  for (const read of ["readChunkInside", "readProjectionInside"] as const) {
    using store = new TestStore();
    const writer = store.openWriter();
    writer.begin();
    writer.writeInside(ofTypes("good"));
    // Undone by the rollback.
    const table = read === "readChunkInside" ? "event" : "projection";
    store.db.script(`ALTER TABLE ${table} RENAME TO gone`);
    assert.throws(() => {
      if (read === "readChunkInside") writer.readChunkInside(EVERYTHING);
      else writer.readProjectionInside({ type: "p", id: "1" });
    }, new RegExp(`no such table: ${table}`));
    assertOver(store, writer, 0);
  }
});

Deno.test("a COMMIT that fails: nothing was written, a fence makes it true, and the next transaction works", () => {
  using store = new TestStore();
  store.db.script(FAILING_COMMIT);
  const writer = store.openWriter();
  writer.group([ofTypes("old")]);
  writer.begin();
  writer.writeInside(ofTypes("good"));
  writer.writeInside(ofTypes("bad"));
  const failure = writer.commit();
  assert.equal(failure.kind, "failed");
  assert.match(failure.kind === "failed" ? failure.reason : "", /^COMMIT failed: /);
  assert.equal(store.db.get("SELECT fence FROM store")?.[0], 1);
  assertOver(store, writer, 1);
});

Deno.test("the WAL is not emptied in an open transaction, however long it is idle, but after its end", async () => {
  using directory = new TestDirectory();
  const store = await SqliteStore.open({ dataDir: directory.path, readersMax: 1 });
  try {
    const walBytes = (): number => Deno.statSync(directory.file("events.db-wal")).size;
    const quiet = (): Promise<void> => delay(2300);
    await store.writer.group([ofTypes("old")]);
    await store.writer.begin();
    await store.writer.writeInside(ofTypes("own"));
    const before = walBytes();
    await quiet();
    assert.ok(before > 0 && walBytes() === before);
    await store.writer.writeInside(ofTypes("own"));
    assert.deepEqual(await store.writer.commit(), DONE);
    assert.ok(walBytes() > 0);
    await quiet();
    assert.equal(walBytes(), 0);
    assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), ["old", "own", "own"]);
  } finally {
    await store.close();
  }
});
