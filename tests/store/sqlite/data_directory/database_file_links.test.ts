import assert from "node:assert/strict";
import {
  checkDatabaseFile,
  rejectSecondName,
  StoreFileError,
} from "../../../../src/store/sqlite/data_directory/database_file.ts";
import { TestDirectory } from "../../test_store.ts";
import { makeCutOffByCrash, makeDatabase } from "./made_database.ts";

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
