import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import {
  checkDatabaseFile,
  rejectSecondName,
  StoreFileError,
  storePaths,
} from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { SCHEMA_VERSION } from "../../../../src/store/sqlite/tables/schema.ts";
import { newEvent, prepared } from "../../made_writes.ts";
import { TestDirectory } from "../../test_store.ts";
import { appendEvents } from "../../../../src/store/sqlite/tables/events.ts";

/** A database with some content, its WAL emptied as by a stop in order. */
function makeDatabase(path: string): void {
  createDatabase(path);
  const db = openForWriting(path);
  appendEvents(db, 0, Array.from({ length: 20 }, () => prepared(newEvent("t", [], "x".repeat(2000)))));
  db.close();
}

/**
 * A database as a crash in a checkpoint may leave it. Its first page gives the number of pages, and the rest is in
 * the WAL.
 */
function makeCutOffByCrash(path: string): void {
  makeDatabase(path);
  const db = openForWriting(path);
  // It writes every page anew, into the WAL.
  db.all("VACUUM");
  const wal = Deno.readFileSync(`${path}-wal`);
  db.close();
  Deno.truncateSync(path, 4096);
  Deno.writeFileSync(`${path}-wal`, wal);
}

function files(directory: TestDirectory): Map<string, Uint8Array> {
  const names = [...Deno.readDirSync(directory.path)].filter(({ isFile }) => isFile).map(({ name }) => name);
  return new Map(names.sort().map((name) => [name, Deno.readFileSync(directory.file(name))]));
}

/** Asserts a rejection in one line that names the file, and that no byte of any file has changed. */
function assertRejected(change: (path: string) => void, expected: RegExp): void {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  makeDatabase(path);
  change(path);
  const before = files(directory);
  assert.throws(() => checkDatabaseFile(path), (error) => {
    assert.ok(error instanceof StoreFileError);
    assert.match(error.message, expected);
    assert.ok(error.message.includes(path));
    assert.equal(error.message.includes("\n"), false);
    return true;
  });
  assert.deepEqual(files(directory), before);
}

function setPragma(path: string, pragma: string): void {
  const db = new Database(path, { readOnly: false });
  db.all(`PRAGMA ${pragma}`);
  db.close();
}

function overwrite(path: string, at: number, bytes: Uint8Array): void {
  using file = Deno.openSync(path, { write: true });
  file.seekSync(at, Deno.SeekMode.Start);
  file.writeSync(bytes);
}

Deno.test("where no file exists there is no database yet, and an eventstore database is accepted", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  assert.equal(checkDatabaseFile(path), false);
  makeDatabase(path);
  const before = files(directory);
  assert.equal(checkDatabaseFile(path), true);
  assert.deepEqual(files(directory), before);
});

Deno.test("a file of no bytes is rejected", () => {
  assertRejected((path) => Deno.truncateSync(path, 0), /is empty/);
});

Deno.test("a file that is not SQLite's, or shorter than a header, is rejected", () => {
  assertRejected(
    (path) => Deno.writeTextFileSync(path, "something else\n".repeat(1000)),
    /not an SQLite database/,
  );
  assertRejected((path) => Deno.writeTextFileSync(path, "x"), /not an SQLite database/);
  assertRejected((path) => Deno.truncateSync(path, 99), /not an SQLite database/);
  assertRejected((path) => overwrite(path, 0, new Uint8Array(16)), /not an SQLite database/);
});

Deno.test("a database with pages of a size that SQLite does not have is rejected", () => {
  for (const size of [0, 2, 256, 1001, 4097]) {
    const bytes = new Uint8Array([size >> 8, size & 255]);
    assertRejected((path) => overwrite(path, 16, bytes), /not an SQLite database, or is damaged/);
  }
});

Deno.test("the database of another program is rejected with both application ids", () => {
  assertRejected((path) => setPragma(path, "application_id = 7"), /application_id 7, expected 1165382516/);
  assertRejected((path) => setPragma(path, "application_id = 0"), /application_id 0,/);
  assertRejected((path) => setPragma(path, "application_id = -2"), /application_id -2,/);
});

for (const version of [0, SCHEMA_VERSION + 1, -1]) {
  Deno.test(`schema version ${version} is rejected with both versions`, () => {
    assertRejected(
      (path) => setPragma(path, `user_version = ${version}`),
      new RegExp(`schema version ${version}, .* version ${SCHEMA_VERSION}`),
    );
  });
}

Deno.test("a database that was cut off is rejected", () => {
  assertRejected(
    (path) => Deno.truncateSync(path, Deno.statSync(path).size - 1),
    /damaged: it has \d+ of \d+/,
  );
  assertRejected((path) => Deno.truncateSync(path, 4096), /damaged: it has 4096 of/);
});

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

Deno.test("a directory, or a file that cannot be read, is rejected", () => {
  using directory = new TestDirectory();
  Deno.mkdirSync(directory.file("events.db"));
  assert.throws(() => checkDatabaseFile(directory.file("events.db")), StoreFileError);
  Deno.symlinkSync("loop.db", directory.file("loop.db"));
  assert.throws(() => checkDatabaseFile(directory.file("loop.db")), /loop\.db cannot be read/);
});

for (const end of ["-wal", "-shm", "-journal"]) {
  Deno.test(`a pipe or a directory in place of the database's ${end} is rejected, and a link to itself`, () => {
    const notRegular = new RegExp(`events\\.db${end} is not a regular file$`);
    assertRejected((path) => Deno.mkdirSync(path + end), notRegular);
    assertRejected(
      (path) => void new Deno.Command("mkfifo", { args: [path + end] }).outputSync(),
      notRegular,
    );
    assertRejected((path) => Deno.symlinkSync(path + end, path + end), /cannot be read/);
  });
}

Deno.test("the files of a store lie in its directory, however the directory is written", () => {
  assert.deepEqual(storePaths("/a/b"), { database: "/a/b/events.db", lock: "/a/b/events.lock" });
  assert.equal(storePaths("/a/b//").database, "/a/b/events.db");
  assert.equal(storePaths("data").database, "data/events.db");
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

Deno.test("a dangling link is rejected with its target, as the database, its WAL, or next to its target", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  const assertDangling = (link: string): void => {
    assert.throws(() => checkDatabaseFile(path), (error) => {
      assert.ok(error instanceof StoreFileError);
      assert.equal(error.message, `${link} is a link to not-mounted, which does not exist`);
      return true;
    });
    assert.equal(Deno.readLinkSync(link), "not-mounted");
  };
  Deno.symlinkSync("not-mounted", path);
  assertDangling(path);
  Deno.removeSync(path);
  Deno.symlinkSync("not-mounted", `${path}-wal`);
  assertDangling(`${path}-wal`);
  makeDatabase(directory.file("elsewhere.db"));
  Deno.renameSync(directory.file("elsewhere.db"), path);
  assertDangling(`${path}-wal`);
  Deno.renameSync(path, directory.file("elsewhere.db"));
  Deno.renameSync(`${path}-wal`, directory.file("elsewhere.db-wal"));
  Deno.symlinkSync("elsewhere.db", path);
  assertDangling(directory.file("elsewhere.db-wal"));
});

Deno.test("a link to a database is followed, also to the WAL next to its target after a crash", () => {
  using directory = new TestDirectory();
  const [path, elsewhere] = [directory.file("events.db"), directory.file("elsewhere.db")];
  makeDatabase(elsewhere);
  Deno.symlinkSync("elsewhere.db", path);
  assert.equal(checkDatabaseFile(path), true);
  Deno.truncateSync(elsewhere, 4096);
  assert.throws(() => checkDatabaseFile(path), /damaged: it has 4096 of/);
  Deno.removeSync(elsewhere);
  makeCutOffByCrash(elsewhere);
  assert.equal(checkDatabaseFile(path), true);
});

Deno.test("a database that was moved behind a link without its WAL is rejected; a directory behind a link is not", () => {
  using directory = new TestDirectory();
  Deno.mkdirSync(directory.file("data"));
  Deno.symlinkSync("data", directory.file("link"));
  const path = directory.file("link/events.db");
  makeDatabase(path);
  Deno.writeTextFileSync(`${path}-wal`, "pages");
  assert.equal(checkDatabaseFile(path), true);
  Deno.renameSync(path, directory.file("away.db"));
  Deno.symlinkSync("../away.db", path);
  assert.throws(() => checkDatabaseFile(path), (error) => {
    assert.ok(error instanceof StoreFileError);
    assert.match(
      error.message,
      /events\.db is a link to .*away\.db, but .*events\.db-wal lies next to the link: move/,
    );
    return true;
  });
  Deno.renameSync(`${path}-wal`, directory.file("away.db-wal"));
  assert.equal(checkDatabaseFile(path), true);
});

Deno.test("a database with a second name is rejected; one that a link leads to is not", () => {
  using directory = new TestDirectory();
  const [path, second, link] = ["events.db", "second.db", "link.db"].map((name) => directory.file(name));
  makeDatabase(path!);
  Deno.symlinkSync(path!, link!);
  rejectSecondName(path!);
  rejectSecondName(link!);
  Deno.linkSync(path!, second!);
  for (const name of [path, second, link]) {
    assert.throws(() => rejectSecondName(name!), (error) => {
      assert.ok(error instanceof StoreFileError);
      assert.equal(error.message, `${name} is one file with 2 names (hard links)`);
      return true;
    });
  }
});
