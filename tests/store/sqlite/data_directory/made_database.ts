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

/** A database with some content, its WAL emptied as by a stop in order. */
export function makeDatabase(path: string): void {
  createDatabase(path);
  const db = openForWriting(path);
  appendEvents(db, 0, Array.from({ length: 20 }, () => prepared(newEvent("t", [], "x".repeat(2000)))));
  db.close();
}

/**
 * A database as a crash in a checkpoint may leave it. Its first page gives the number of pages, and the rest is in
 * the WAL.
 */
export function makeCutOffByCrash(path: string): void {
  makeDatabase(path);
  const db = openForWriting(path);
  // It writes every page anew, into the WAL.
  db.all("VACUUM");
  const wal = Deno.readFileSync(`${path}-wal`);
  db.close();
  Deno.truncateSync(path, 4096);
  Deno.writeFileSync(`${path}-wal`, wal);
}

/** Returns the bytes of each file in the directory. */
export function filesOf(directory: TestDirectory): Map<string, Uint8Array> {
  const names = [...Deno.readDirSync(directory.path)].filter(({ isFile }) => isFile).map(({ name }) => name);
  return new Map(names.sort().map((name) => [name, Deno.readFileSync(directory.file(name))]));
}

/** Asserts a rejection in one line that names the file, and that no byte of any file has changed. */
export function assertRejected(change: (path: string) => void, expected: RegExp): void {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  makeDatabase(path);
  change(path);
  const before = filesOf(directory);
  assert.throws(() => checkDatabaseFile(path), (error) => {
    assert.ok(error instanceof StoreFileError);
    assert.match(error.message, expected);
    assert.ok(error.message.includes(path));
    assert.equal(error.message.includes("\n"), false);
    return true;
  });
  assert.deepEqual(filesOf(directory), before);
}
