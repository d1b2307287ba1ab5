import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { committedInWal } from "../../../../src/store/sqlite/data_directory/wal_pages.ts";
import { TestDirectory } from "../../test_store.ts";
import { FRAME_HEADER_BYTES, madeWal, sealed, WAL_HEADER_BYTES } from "./made_wal.ts";

/** A database file and its WAL, as they are while the database is open. */
interface Pair {
  readonly file: Uint8Array<ArrayBuffer>;
  readonly wal: Uint8Array<ArrayBuffer>;
  readonly pageBytes: number;
}

/** Runs some work on a database, and returns the files on the disk, whether it is open or not. */
function pairAfter(work: (db: DatabaseSync) => void, pageBytes = 512): Pair {
  using directory = new TestDirectory();
  const path = directory.file("made.db");
  using db = new DatabaseSync(path);
  db.exec(`PRAGMA page_size = ${pageBytes}; PRAGMA journal_mode = WAL; PRAGMA wal_autocheckpoint = 0`);
  db.exec("CREATE TABLE t (x); PRAGMA wal_checkpoint(TRUNCATE)");
  work(db);
  return { file: Deno.readFileSync(path), wal: Deno.readFileSync(`${path}-wal`), pageBytes };
}

/** Each transaction makes the database larger, so the number of pages shows which of them SQLite counts. */
function grow(db: DatabaseSync, transactions: number): void {
  const { page_size } = db.prepare("PRAGMA page_size").get() as { page_size: number };
  for (let i = 0; i < transactions; i++) {
    db.exec(`INSERT INTO t VALUES (zeroblob(${2 * page_size}))`);
  }
}

/** The number of pages in the database according to SQLite. */
function pagesForSqlite({ file, wal }: Pair): number {
  using directory = new TestDirectory();
  const path = directory.file("read.db");
  Deno.writeFileSync(path, file);
  Deno.writeFileSync(`${path}-wal`, wal);
  using db = new DatabaseSync(path);
  return (db.prepare("PRAGMA page_count").get() as { page_count: number }).page_count;
}

function committedIn(wal: Uint8Array): ReturnType<typeof committedInWal> {
  using directory = new TestDirectory();
  Deno.writeFileSync(directory.file("wal"), wal);
  return committedInWal(directory.file("wal"));
}

/** @returns the number of pages that both find */
function assertAsSqlite(pair: Pair, message?: string): number {
  const { pagesAfter } = committedIn(pair.wal);
  const pages = pagesAfter === 0 ? pair.file.length / pair.pageBytes : pagesAfter;
  assert.equal(pages, pagesForSqlite(pair), message);
  return pages;
}

function changed(pair: Pair, at: number): Pair {
  const wal = pair.wal.slice();
  wal[at]! ^= 1;
  return { ...pair, wal };
}

for (const pageBytes of [512, 4096, 65536]) {
  Deno.test(`pages of ${pageBytes} bytes: the pages that SQLite counts as committed are found`, () => {
    const pair = pairAfter((db) => grow(db, 5), pageBytes);
    const { pages, pagesAfter, pageBytes: found } = committedIn(pair.wal);
    assert.equal(found, pageBytes);
    assert.equal(pagesAfter, pagesForSqlite(pair));
    assert.ok(pages.has(1));
    for (let page = pair.file.length / pageBytes + 1; page <= pagesAfter; page++) {
      assert.ok(pages.has(page), `page ${page}`);
    }
  });
}

Deno.test("in an empty WAL, or one of a few bytes, nothing is committed", () => {
  const { wal } = pairAfter((db) => grow(db, 1));
  for (const length of [0, 1, 31, 32, 33]) {
    assert.deepEqual(committedIn(wal.subarray(0, length)).pagesAfter, 0, `${length} bytes`);
  }
  assert.equal(committedIn(new Uint8Array(5000)).pagesAfter, 0);
});

Deno.test("a WAL that ends anywhere has the transactions that SQLite finds in it", () => {
  const pair = pairAfter((db) => grow(db, 4));
  const found = new Set<number>();
  for (let length = 0; length <= pair.wal.length; length += 67) {
    found.add(assertAsSqlite({ ...pair, wal: pair.wal.slice(0, length) }, `${length} bytes`));
  }
  assert.ok(found.size >= 4, `${[...found]}`);
});

Deno.test("behind a byte that has changed, header or page, nothing counts", () => {
  const pair = pairAfter((db) => grow(db, 4));
  const found = new Set<number>();
  // SQLite does not open a WAL of another version, which are the bytes 4 to 7.
  for (const at of [0, 1, 2, 3, ...Array.from({ length: 24 }, (_, i) => 8 + i)]) {
    found.add(assertAsSqlite(changed(pair, at), `byte ${at}`));
  }
  for (let at = WAL_HEADER_BYTES; at < pair.wal.length; at += 41) {
    found.add(assertAsSqlite(changed(pair, at), `byte ${at}`));
  }
  assert.ok(found.size >= 4, `${[...found]}`);
});

Deno.test("pages of a transaction that never ended do not count", () => {
  const pair = pairAfter((db) => {
    grow(db, 2);
    db.exec("PRAGMA cache_size = 1; BEGIN");
    grow(db, 40);
  });
  const pages = assertAsSqlite(pair);
  assert.ok(
    pair.wal.length > WAL_HEADER_BYTES + 2 * pages * pair.pageBytes,
    "some of its pages are in the WAL",
  );
});

Deno.test("the rest of an earlier log does not count", () => {
  const pair = pairAfter((db) => {
    grow(db, 20);
    db.exec("PRAGMA wal_checkpoint(RESTART)");
    grow(db, 1);
  });
  const { pages, pagesAfter } = committedIn(pair.wal);
  assert.equal(pagesAfter, assertAsSqlite(pair));
  const frames = (pair.wal.length - WAL_HEADER_BYTES) / (FRAME_HEADER_BYTES + pair.pageBytes);
  assert.ok(pages.size < frames / 4, `${pages.size} pages of ${frames} frames`);
});

Deno.test("a WAL whose checksums a big-endian machine has made is read, too", () => {
  const little = pairAfter((db) => grow(db, 3));
  assert.deepEqual(sealed(little.wal, { isLittleEndian: true }), little.wal);
  const big = { ...little, wal: sealed(little.wal, { isLittleEndian: false }) };
  assert.notDeepEqual(big.wal, little.wal);
  assert.equal(assertAsSqlite(big), assertAsSqlite(little));
  assert.deepEqual(committedIn(big.wal), committedIn(little.wal));
  const at = WAL_HEADER_BYTES + FRAME_HEADER_BYTES + 3;
  assert.equal(assertAsSqlite(changed(big, at)), big.file.length / big.pageBytes);
});

Deno.test("a frame of page 0, which no database has, ends the log", () => {
  const [first, zeroth] = [{ page: 2, pagesAfter: 2 }, { page: 0, pagesAfter: 9 }];
  assert.deepEqual(committedIn(madeWal(512, [first])).pagesAfter, 2);
  const { pages, pagesAfter } = committedIn(madeWal(512, [first, zeroth, { page: 3, pagesAfter: 3 }]));
  assert.deepEqual([[...pages], pagesAfter], [[2], 2]);
});

for (const pageBytes of [0, 1, 256, 768, 131072]) {
  Deno.test(`a WAL with pages of ${pageBytes} bytes, which no database has, is none`, () => {
    assert.equal(committedIn(madeWal(pageBytes, [])).pageBytes, 0);
  });
}
