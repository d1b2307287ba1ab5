import { Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { type CommittedInWal, committedInWal } from "./wal_pages.ts";

/** The page size and count from the header of a database file. */
export interface Pages {
  readonly bytesEach: number;
  readonly count: number;
}

/** Some systems lock this byte. SQLite leaves out the page that contains it, and never writes that page. */
const LOCKED_BYTE = 2 ** 30;

/**
 * True when a database file and the WAL next to it are complete together. SQLite applies any WAL to any database. A
 * WAL of another file, or of an older or newer copy of this one, would make a mixture of both. After a crash in a
 * checkpoint, a file may be shorter than its header says. It must not be opened for writing unless the WAL has the
 * missing pages: SQLite would fill the gaps with zeros, and remove the WAL.
 * @param path the file itself, not a link to it; no process may be writing to it
 * @throws Error when the files cannot be read
 */
export function isWholeWithWal(path: string, { bytesEach, count }: Pages): boolean {
  const inWal = committedInWal(`${path}-wal`);
  const present = Deno.statSync(path).size / bytesEach;
  if (inWal.pagesAfter > 0) {
    // As long as a database has a WAL, its pages keep their size.
    if (inWal.pageBytes !== bytesEach) return false;
    if (!mayFollow(inWal, count, Math.ceil(present))) return false;
  }
  const lockedPage = 1 + LOCKED_BYTE / bytesEach;
  for (let page = 1 + Math.floor(present); page <= Math.max(count, inWal.pagesAfter); page++) {
    // An unused page need not be in either file.
    if (!inWal.pages.has(page) && page !== lockedPage) return isSound(path);
  }
  return true;
}

/**
 * True when the WAL can continue this file. The server never makes a database smaller, and a database that grows has
 * the new size in its first page.
 */
function mayFollow({ pages, pagesAfter }: CommittedInWal, count: number, present: number): boolean {
  if (pages.has(1)) return pagesAfter >= count;
  // If more was appended to the file, SQLite takes the size from the file.
  return pagesAfter === count || pagesAfter === Math.max(count, present);
}

/** True when SQLite finds nothing wrong with the pages in use. A connection that only reads changes neither file. */
function isSound(path: string): boolean {
  try {
    using db = new Database(path, { readOnly: true });
    return db.get("PRAGMA quick_check(1)")?.[0] === "ok";
  } catch (error) {
    const code = sqlCodeOf(error);
    if (code === SqlCode.corrupt || code === SqlCode.notADatabase) return false;
    throw error;
  }
}
