import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import type { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { newEvent, ofTypes, storeWrite } from "../../made_writes.ts";
import { TestStore, writerState } from "../../test_store.ts";

const LOCKED = {
  kind: "failed",
  reason: "another process has locked the database",
  code: "Unavailable",
  cause: "locked",
};

const TURNS: Readonly<Record<string, (writer: Writer) => unknown>> = {
  group: (writer) => writer.group([ofTypes("a"), ofTypes("b")]).at(-1),
  deleteProjections: (writer) => writer.deleteProjections(undefined),
  reset: (writer) => writer.reset(),
  setPaused: (writer) => writer.setPaused(1),
  optimize: (writer) => writer.optimize(),
  begin: (writer) => writer.begin(),
};

for (const [name, take] of Object.entries(TURNS)) {
  Deno.test(`${name}: a transaction that another connection keeps from beginning changes nothing, and the next one works`, () => {
    using store = new TestStore();
    const writer = store.openWriter();
    store.db.all("PRAGMA busy_timeout = 1");
    {
      using other = openForWriting(store.path);
      other.run("BEGIN IMMEDIATE");
      assert.deepEqual(take(writer), LOCKED);
    }
    assert.deepEqual(writerState(writer), { storeId: store.storeId, head: 0 });
    assert.deepEqual(store.reported, []);
  });
}

Deno.test("a fence that is kept from beginning does not break the store: the next transaction makes up for it", () => {
  using store = new TestStore();
  const writer = store.openWriter();
  store.db.all("PRAGMA busy_timeout = 1");
  const [pages] = store.db.get("PRAGMA page_count") as [number];
  store.db.all(`PRAGMA max_page_count = ${pages}`);
  const large = storeWrite([newEvent("t", [], "x".repeat(100_000))]);
  assert.equal(writer.group([large])[0]?.kind, "failed");
  store.db.all("PRAGMA max_page_count = 1000000");
  {
    using other = openForWriting(store.path);
    other.run("BEGIN IMMEDIATE");
    assert.deepEqual(writer.begin(), LOCKED);
  }
  assert.deepEqual(writerState(writer), { storeId: store.storeId, head: 0 });
  assert.deepEqual(store.db.get("SELECT fence FROM store"), [1]);
  assert.deepEqual(store.reported, []);
});
