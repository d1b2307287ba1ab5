import assert from "node:assert/strict";
import { Database } from "../../../../src/store/sqlite/connection/database.ts";
import {
  checkDatabaseFile,
  StoreFileError,
  storePaths,
} from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { SCHEMA_VERSION, SEALING_VERSION, VERSIONS } from "../../../../src/store/sqlite/tables/schema.ts";
import { TestDirectory } from "../../test_store.ts";
import { assertRejected, filesOf, makeDatabase } from "./made_database.ts";

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
  const before = filesOf(directory);
  assert.equal(checkDatabaseFile(path), true);
  assert.deepEqual(filesOf(directory), before);
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

for (const version of [0, SCHEMA_VERSION - 1, SEALING_VERSION + 1, -1]) {
  Deno.test(`schema version ${version} is rejected with the versions that this program knows`, () => {
    assertRejected(
      (path) => setPragma(path, `user_version = ${version}`),
      new RegExp(`schema version ${version}, .* version 2, 3, 6 or 7$`),
    );
  });
}

Deno.test("the schema versions of stores and of backups are accepted, and no other", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  makeDatabase(path);
  for (const version of VERSIONS) {
    setPragma(path, `user_version = ${version}`);
    assert.equal(checkDatabaseFile(path), true);
  }
  assert.deepEqual(VERSIONS, [2, 3, 6, 7]);
  setPragma(path, "user_version = 5");
  assert.throws(
    () => checkDatabaseFile(path),
    /has schema version 5, but this program requires version 2, 3, 6 or 7$/,
  );
});

Deno.test("a database that was cut off is rejected", () => {
  assertRejected(
    (path) => Deno.truncateSync(path, Deno.statSync(path).size - 1),
    /damaged: it has \d+ of \d+/,
  );
  assertRejected((path) => Deno.truncateSync(path, 4096), /damaged: it has 4096 of/);
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
