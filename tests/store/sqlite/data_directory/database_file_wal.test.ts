import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import {
  checkDatabaseFile,
  StoreFileError,
} from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { appendEvents } from "../../../../src/store/sqlite/tables/events.ts";
import { newEvent, prepared } from "../../made_writes.ts";
import { TestDirectory } from "../../test_store.ts";
import { assertRejected, makeCutOffByCrash, makeDatabase } from "./made_database.ts";

Deno.test("a database whose last pages are still in the WAL, as after a crash, is accepted", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  createDatabase(path);
  const db = openForWriting(path);
  appendEvents(db, 0, Array.from({ length: 20 }, () => prepared(newEvent("t", [], "x".repeat(2000)))));
  const crashed = directory.file("crashed.db");
  for (const file of ["", "-wal"]) Deno.copyFileSync(path + file, crashed + file);
  db.close();
  assert.equal(checkDatabaseFile(crashed), true);
  const recovered = openForWriting(crashed);
  assert.deepEqual(recovered.get("SELECT count(*) FROM event"), [20]);
  recovered.close();
});

Deno.test("a database that a crash in a checkpoint has cut off is accepted, with all events", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  makeCutOffByCrash(path);
  assert.equal(checkDatabaseFile(path), true);
  const recovered = openForWriting(path);
  assert.deepEqual(recovered.get("SELECT count(*) FROM event"), [20]);
  recovered.close();
});

Deno.test("a database that was cut off is rejected, and stays as it is, when its WAL lacks the lost pages", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  makeDatabase(path);
  const db = openForWriting(path);
  appendEvents(db, 20, [prepared(newEvent("t", [], "last"))]);
  const cut = directory.file("cut.db");
  for (const file of ["", "-wal"]) Deno.copyFileSync(path + file, cut + file);
  db.close();
  Deno.truncateSync(cut, 3 * 4096);
  const contents = (): Uint8Array[] => ["", "-wal"].map((file) => Deno.readFileSync(cut + file));
  const before = contents();
  assert.throws(() => checkDatabaseFile(cut), /cut\.db is damaged: it has 12288 of \d+ bytes/);
  assert.deepEqual(contents(), before);
});

/** Leaves the files as a kill does: this many events in the file, and one more in its WAL. */
function makeKilled(path: string, events: number): void {
  createDatabase(path);
  const db = openForWriting(path);
  const append = (before: number, count: number): void => {
    const payload = "x".repeat(500);
    appendEvents(db, before, Array.from({ length: count }, () => prepared(newEvent("t", [], payload))));
  };
  append(0, events);
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  append(events, 1);
  const left = ["", "-wal"].map((end) => [end, Deno.readFileSync(path + end)] as const);
  db.close();
  for (const [end, bytes] of left) Deno.writeFileSync(path + end, bytes);
}

for (
  const [file, events, wal, eventsOfWal] of [
    ["a large store", 2000, "a young one", 0],
    ["a young store", 0, "a large one", 2000],
    ["an older copy", 1000, "the store", 2000],
    ["a newer copy", 2000, "the store", 1000],
  ] as const
) {
  Deno.test(`the file of ${file} next to the WAL of ${wal} is rejected, and both stay as they are`, () => {
    using directory = new TestDirectory();
    const [path, other] = [directory.file("events.db"), directory.file("other.db")];
    makeKilled(path, events);
    makeKilled(other, eventsOfWal);
    assert.equal(checkDatabaseFile(path), true);
    Deno.copyFileSync(`${other}-wal`, `${path}-wal`);
    const contents = (): Uint8Array[] => ["", "-wal"].map((end) => Deno.readFileSync(path + end));
    const before = contents();
    assert.throws(() => checkDatabaseFile(path), (error) => {
      assert.ok(error instanceof StoreFileError);
      assert.match(error.message, /events\.db and .*events\.db-wal do not belong together, or are damaged$/);
      return true;
    });
    assert.deepEqual(contents(), before);
  });
}

Deno.test("a WAL without its database is rejected, so that no new database grows over it", () => {
  assertRejected((path) => {
    Deno.writeTextFileSync(`${path}-wal`, "pages");
    Deno.removeSync(path);
  }, /is missing although .*-wal exists/);
});

Deno.test("a WAL that cannot be inspected is an error, not a missing one", () => {
  using directory = new TestDirectory();
  // With four more bytes, the name is too long for a file.
  const path = directory.file("x".repeat(255));
  assert.throws(() => checkDatabaseFile(path), (error) => {
    assert.ok(error instanceof StoreFileError);
    assert.match(error.message, /x-wal cannot be read: /);
    return true;
  });
});
