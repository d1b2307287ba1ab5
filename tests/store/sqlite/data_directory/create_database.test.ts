import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { checkDatabaseFile } from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { readState } from "../../../../src/store/sqlite/tables/identity.ts";
import { APPLICATION_ID, SCHEMA_VERSION } from "../../../../src/store/sqlite/tables/schema.ts";
import { TestDirectory } from "../../test_store.ts";

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

function names(directory: TestDirectory): string[] {
  return [...Deno.readDirSync(directory.path)].map(({ name }) => name).sort();
}

function withUmask(mask: number, act: () => void): void {
  const before = Deno.umask(mask);
  try {
    act();
  } finally {
    Deno.umask(before);
  }
}

Deno.test("a new database is one file with a fresh store ID, an empty log, and the marks of this program", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  const storeId = createDatabase(path);
  assert.match(storeId, UUID);
  assert.deepEqual(names(directory), ["events.db"]);
  assert.equal(checkDatabaseFile(path), true);
  const db = openForWriting(path);
  assert.deepEqual(readState(db), { storeId, head: 0 });
  assert.deepEqual(db.all("PRAGMA application_id"), [[APPLICATION_ID]]);
  assert.deepEqual(db.all("PRAGMA user_version"), [[SCHEMA_VERSION]]);
  assert.deepEqual(db.all("PRAGMA integrity_check"), [["ok"]]);
  db.close();
  assert.notEqual(createDatabase(directory.file("other.db")), storeId);
});

for (const mask of [0o000, 0o077, 0o277]) {
  Deno.test(`a new database is readable by its owner only, with umask ${mask.toString(8).padStart(3, "0")}`, () => {
    using directory = new TestDirectory();
    const path = directory.file("events.db");
    withUmask(mask, () => {
      createDatabase(path);
      const db = openForWriting(path);
      db.run("UPDATE store SET fence = 1");
      for (const file of ["", "-wal", "-shm"]) {
        assert.equal(Deno.statSync(path + file).mode! & 0o777, 0o600, file);
      }
      db.close();
    });
  });
}

Deno.test("the files that an interrupted attempt left behind do not matter", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  for (const rest of ["", "-wal", "-shm", "-journal"]) {
    Deno.writeTextFileSync(`${path}.new${rest}`, "left behind".repeat(1000), { mode: 0o644 });
  }
  assert.equal(checkDatabaseFile(path), false, "such files are no database");
  const storeId = createDatabase(path);
  assert.deepEqual(names(directory), ["events.db"]);
  assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  const db = openForWriting(path);
  assert.equal(readState(db).storeId, storeId);
  db.close();
});

Deno.test("an attempt that fails leaves no database", () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  // The last step, the rename, cannot replace a directory that holds something.
  Deno.mkdirSync(path);
  Deno.writeTextFileSync(`${path}/something`, "");
  assert.throws(() => createDatabase(path));
  assert.equal(Deno.statSync(path).isDirectory, true);
  const missing = directory.file("missing/events.db");
  assert.throws(() => createDatabase(missing), (error: Error) => {
    assert.equal(error.name, "StoreFileError");
    assert.ok(
      error.message.startsWith(`${missing} cannot be created: No such file or directory`),
      error.message,
    );
    return true;
  });
});
