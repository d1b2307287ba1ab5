import assert from "node:assert/strict";
import { StoreFileError } from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { lockDataDirectory } from "../../../../src/store/sqlite/data_directory/data_directory.ts";
import { initStore } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { TestDirectory } from "../../test_store.ts";

Deno.test("init makes the directory and the database, and frees the lock", () => {
  using directory = new TestDirectory();
  const dataDir = directory.file("new/data");
  const { path, storeId } = initStore(dataDir);
  assert.equal(path, `${dataDir}/events.db`);
  assert.match(storeId, /^[0-9a-f-]{36}$/);
  assert.equal(Deno.statSync(path).mode! & 0o777, 0o600);
  assert.equal(Deno.statSync(dataDir).mode! & 0o777, 0o700);
  using _lock = lockDataDirectory(dataDir);
});

Deno.test("init rejects an existing database, also one of another program, and leaves it as it is", () => {
  using directory = new TestDirectory();
  initStore(directory.path);
  const path = directory.file("events.db");
  const before = Deno.readFileSync(path);
  assert.throws(() => initStore(directory.path), (error) => {
    assert.ok(error instanceof StoreFileError && error.message.includes(`${path} already exists`));
    return true;
  });
  assert.deepEqual(Deno.readFileSync(path), before);
  Deno.writeTextFileSync(path, "somebody else's");
  assert.throws(() => initStore(directory.path), StoreFileError);
  assert.equal(Deno.readTextFileSync(path), "somebody else's");
  Deno.truncateSync(path, 0);
  assert.throws(() => initStore(directory.path), StoreFileError);
  assert.equal(Deno.statSync(path).size, 0);
});

Deno.test("init rejects a directory that a server has locked", () => {
  using directory = new TestDirectory();
  using _lock = lockDataDirectory(directory.path);
  assert.throws(() => initStore(directory.path), /in use by another process/);
  assert.throws(() => Deno.statSync(directory.file("events.db")), Deno.errors.NotFound);
});
