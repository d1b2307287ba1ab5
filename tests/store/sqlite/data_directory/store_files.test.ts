import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { lossOf, StoreFiles } from "../../../../src/store/sqlite/data_directory/store_files.ts";
import { readState } from "../../../../src/store/sqlite/tables/identity.ts";
import { pause } from "../../../support/eventually.ts";
import { TestDirectory } from "../../test_store.ts";

function withOpenStore(run: (directory: TestDirectory, files: StoreFiles) => void): void {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  createDatabase(path);
  using db = openForWriting(path);
  readState(db);
  Deno.writeTextFileSync(directory.file("events.lock"), "");
  run(directory, new StoreFiles(path));
}

const FILES = ["events.db", "events.db-wal", "events.db-shm", "events.lock"] as const;

for (const name of FILES) {
  Deno.test(`the loss of ${name} is detected when it is deleted or replaced, and not when it returns`, () => {
    withOpenStore((directory, { all }) => {
      assert.equal(lossOf(all), undefined);
      Deno.renameSync(directory.file(name), directory.file("away"));
      assert.equal(lossOf(all), `${name} was deleted or moved away`);
      Deno.copyFileSync(directory.file("away"), directory.file(name));
      assert.equal(lossOf(all), `${name} was replaced by another file`);
      Deno.renameSync(directory.file("away"), directory.file(name));
      assert.equal(lossOf(all), undefined);
    });
  });
}

Deno.test("the loss of a database behind a link, or of its WAL, is detected when the link leads elsewhere", () => {
  using directory = new TestDirectory();
  const [path, real] = [directory.file("events.db"), directory.file("real.db")];
  createDatabase(real);
  Deno.symlinkSync(real, path);
  using db = openForWriting(path);
  readState(db);
  const { all } = new StoreFiles(path);
  assert.equal(lossOf(all), undefined);
  Deno.renameSync(`${real}-wal`, directory.file("away"));
  assert.equal(lossOf(all), "real.db-wal was deleted or moved away");
  Deno.renameSync(directory.file("away"), `${real}-wal`);
  Deno.removeSync(path);
  Deno.writeTextFileSync(path, "");
  assert.equal(lossOf(all), "events.db was replaced by another file");
});

Deno.test("a file that can no longer be inspected counts as lost", () => {
  withOpenStore((directory, { all }) => {
    Deno.removeSync(directory.file("events.db"));
    Deno.symlinkSync("events.db", directory.file("events.db"));
    assert.match(lossOf(all) ?? "", /^events\.db can no longer be found: /);
  });
});

Deno.test("another program may have the database open only if it finds both it and a lock that is not ours", () => {
  withOpenStore((directory, files) => {
    assert.equal(files.mayBeShared, false);
    Deno.renameSync(directory.file("events.lock"), directory.file("away"));
    assert.equal(files.mayBeShared, false, "every program that opens it would have created a lock");
    Deno.writeTextFileSync(directory.file("events.lock"), "");
    assert.equal(files.mayBeShared, true);
    Deno.renameSync(directory.file("events.db"), directory.file("moved.db"));
    assert.equal(files.mayBeShared, false);
  });
});

Deno.test("a loss is detected at once, also in a directory that has not changed for long", async () => {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  createDatabase(path);
  using db = openForWriting(path);
  readState(db);
  const files = new StoreFiles(path);
  for (const name of ["events.db-wal"]) {
    await pause(3100); // Times of a directory are known in seconds.
    for (let i = 0; i < 3; i++) assert.equal(files.loss(), undefined);
    const { atime, mtime } = Deno.statSync(directory.path);
    Deno.renameSync(directory.file(name), directory.file("away"));
    // Unpacking an archive sets times like this.
    Deno.utimeSync(directory.path, atime!, mtime!);
    assert.equal(files.loss("written"), `${name} was deleted or moved away`);
    assert.equal(files.loss(), `${name} was deleted or moved away`);
    Deno.renameSync(directory.file("away"), directory.file(name));
    assert.equal(files.loss(), undefined);
  }
});
