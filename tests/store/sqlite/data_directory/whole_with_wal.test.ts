import assert from "node:assert/strict";
import { openForWriting } from "../../../../src/store/sqlite/connection/connection.ts";
import type { Database } from "../../../../src/store/sqlite/connection/database.ts";
import { createDatabase } from "../../../../src/store/sqlite/data_directory/create_database.ts";
import { isWholeWithWal } from "../../../../src/store/sqlite/data_directory/whole_with_wal.ts";
import { TestDirectory } from "../../test_store.ts";
import { type MadeFrame, madeWal } from "./made_wal.ts";

const PAGE_BYTES = 4096;

/** A database whose process is killed each time. */
class KilledDatabase implements Disposable {
  readonly #directory = new TestDirectory();
  readonly path: string = this.#directory.file("events.db");

  constructor() {
    createDatabase(this.path);
  }

  live(work: (db: Database) => void): this {
    const db = openForWriting(this.path);
    work(db);
    const left = ["", "-wal"].map((end) => [this.path + end, Deno.readFileSync(this.path + end)] as const);
    db.close();
    for (const [path, bytes] of left) Deno.writeFileSync(path, bytes);
    return this;
  }

  /** The number of pages according to the file's header. */
  get count(): number {
    return new DataView(Deno.readFileSync(this.path).buffer).getUint32(28);
  }

  get isWhole(): boolean {
    return isWholeWithWal(this.path, { bytesEach: PAGE_BYTES, count: this.count });
  }

  takeWalOf(other: KilledDatabase): void {
    Deno.copyFileSync(`${other.path}-wal`, `${this.path}-wal`);
  }

  [Symbol.dispose](): void {
    this.#directory[Symbol.dispose]();
  }
}

function begin(db: Database): void {
  db.script("CREATE TABLE t (x); INSERT INTO t VALUES (1)");
}

function checkpoint(db: Database): void {
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
}

function grow(db: Database, pages: number): void {
  db.script(`INSERT INTO t VALUES (zeroblob(${pages * PAGE_BYTES}))`);
}

Deno.test("a file to which pages were appended, and in which something was written since, is whole", () => {
  using killed = new KilledDatabase().live((db) => {
    begin(db);
    checkpoint(db);
  });
  Deno.truncateSync(killed.path, Deno.statSync(killed.path).size + 3 * PAGE_BYTES);
  killed.live((db) => db.script("UPDATE t SET x = 2"));
  assert.equal(killed.isWhole, true);
});

Deno.test("a log in which the database became smaller belongs to another one", () => {
  using killed = new KilledDatabase().live((db) => {
    begin(db);
    grow(db, 50);
    db.script("DELETE FROM t WHERE x <> 1");
    checkpoint(db);
    db.all("VACUUM");
  });
  assert.equal(killed.isWhole, false);
});

Deno.test("a log without the pages between the end of the file and its own pages belongs to a later copy", () => {
  using older = new KilledDatabase().live((db) => {
    begin(db);
    checkpoint(db);
    grow(db, 2);
  });
  using later = new KilledDatabase().live((db) => {
    begin(db);
    grow(db, 30);
    checkpoint(db);
    grow(db, 2);
  });
  assert.deepEqual([older.isWhole, later.isWhole], [true, true]);
  older.takeWalOf(later);
  assert.equal(older.isWhole, false);
});

/** A file of zeros and a WAL with these frames. */
function isMadeWhole(pages: number, walPageBytes: number, frames: readonly MadeFrame[]): boolean {
  using directory = new TestDirectory();
  const path = directory.file("events.db");
  Deno.writeFileSync(path, new Uint8Array());
  Deno.truncateSync(path, pages * PAGE_BYTES);
  Deno.writeFileSync(`${path}-wal`, madeWal(walPageBytes, frames));
  return isWholeWithWal(path, { bytesEach: PAGE_BYTES, count: pages });
}

Deno.test("a log with pages of another size belongs to another database, if it has a commit", () => {
  assert.equal(isMadeWhole(5, PAGE_BYTES, [{ page: 2, pagesAfter: 5 }]), true);
  assert.equal(isMadeWhole(5, 2 * PAGE_BYTES, [{ page: 2, pagesAfter: 5 }]), false);
  assert.equal(isMadeWhole(5, 2 * PAGE_BYTES, [{ page: 2, pagesAfter: 0 }]), true);
});

Deno.test("the page of the byte that systems lock, at 1 GiB, need not be in the log of a growing file", () => {
  const before = 2 ** 30 / PAGE_BYTES;
  const grown = (from: number): MadeFrame[] => [
    { page: 1, pagesAfter: 0 },
    { page: from, pagesAfter: from },
  ];
  assert.equal(isMadeWhole(before, PAGE_BYTES, grown(before + 2)), true);
  // SQLite looks for any other missing page, and finds no database in zeros.
  assert.equal(isMadeWhole(before, PAGE_BYTES, grown(before + 3)), false);
});
