import assert from "node:assert/strict";
import { openForReading, openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { type Database, SqlCode, sqlCodeOf } from "../../../../src/store/sqlite/connection/database.ts";
import { TestStore } from "../../test_store.ts";

const SHARED = { busy_timeout: 5000, trusted_schema: 0, cell_size_check: 1, temp_store: 2 };

function assertSettings(db: Database, settings: Readonly<Record<string, unknown>>): void {
  for (const [name, value] of Object.entries(settings)) {
    assert.deepEqual(db.all(`PRAGMA ${name}`), [[value]], name);
  }
  const mapped = db.get("PRAGMA mmap_size")?.[0] ?? 0;
  assert.equal(mapped, 0, "mmap_size");
}

Deno.test("the writer's connection has every setting of the design", () => {
  using store = new TestStore();
  assertSettings(store.db, {
    ...SHARED,
    journal_mode: "wal",
    synchronous: 2,
    wal_autocheckpoint: 0,
    journal_size_limit: 64 * 1024 * 1024,
    query_only: 0,
  });
});

Deno.test("a reader's connection has every setting of the design and cannot write", () => {
  using store = new TestStore();
  const reader = openForReading(store.path);
  try {
    assertSettings(reader, { ...SHARED, query_only: 1, journal_mode: "wal" });
    for (const sql of ["DELETE FROM event", "UPDATE store SET fence = 1", "PRAGMA user_version = 9"]) {
      assert.throws(() => reader.run(sql), /readonly/);
    }
    reader.all("PRAGMA query_only = OFF");
    assert.throws(() => reader.run("DELETE FROM event"), /readonly/, "the file itself is opened read-only");
  } finally {
    reader.close();
  }
});

Deno.test("a setting that SQLite does not take stops the opening with its name", () => {
  // A database in memory has no WAL.
  assert.throws(
    () => openForWriting(":memory:"),
    /did not accept the setting journal_mode = WAL \(it is memory\)/,
  );
});

Deno.test("errors of SQLite carry their primary result code, other errors none", () => {
  using store = new TestStore();
  const codeOf = (act: () => unknown): number | undefined => {
    try {
      act();
    } catch (error) {
      return sqlCodeOf(error);
    }
    return assert.fail("nothing was thrown");
  };
  const constraint = 19;
  assert.equal(codeOf(() => store.db.run("INSERT INTO event VALUES (1, 1, NULL)")), constraint);
  store.db.all("PRAGMA max_page_count = 1");
  const filling = (): void => {
    for (let i = 1n; i < 9n; i++) store.db.run("INSERT INTO event VALUES (?, 1, hex(zeroblob(9999)))", i);
  };
  assert.equal(codeOf(filling), SqlCode.full);
  assert.equal(sqlCodeOf(new Error("other")), undefined);
  assert.equal(sqlCodeOf(null), undefined);
});

Deno.test("more SQL texts than a connection remembers still work, all of them", () => {
  using store = new TestStore();
  for (let i = 0; i < 250; i++) assert.deepEqual(store.db.all(`SELECT ${i}`), [[i]]);
  assert.deepEqual(store.db.get("SELECT 1 WHERE 0"), undefined);
  store.db.run("UPDATE store SET fence = fence + 1");
  assert.deepEqual(store.db.get("SELECT fence FROM store"), [1]);
});
