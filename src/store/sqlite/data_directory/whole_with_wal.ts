import { Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { type CommittedInWal, committedInWal } from "./wal_pages.ts";

/** What the header of a database file says of it. */
export interface Pages {
  readonly bytesEach: number;
  readonly count: number;
}

/** SQLite leaves the page out in which this byte is, which some systems lock, and never writes it. */
const LOCKED_BYTE = 2 ** 30;

/**
 * Whether a database file is whole with the WAL beside it. SQLite applies any WAL to any database: one that belongs to
 * another file, or to an older or newer copy of this one, would make a mixture of both. A file that is shorter than it
 * says, as after a crash in a checkpoint, must not be opened for writing if the WAL lacks what it lacks: SQLite would fill
 * the gaps with zeros, and remove the WAL.
 * @param path the file itself, not a link to it; nobody may be writing to it
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
    // A page that is not used for anything need not be in either.
    if (!inWal.pages.has(page) && page !== lockedPage) return isSound(path);
  }
  return true;
}

/** The server never makes a database smaller, and when one grows, its first page says so. */
function mayFollow({ pages, pagesAfter }: CommittedInWal, count: number, present: number): boolean {
  if (pages.has(1)) return pagesAfter >= count;
  // Where more was appended to the file, SQLite counts what is there.
  return pagesAfter === count || pagesAfter === Math.max(count, present);
}

/** Whether SQLite finds nothing wrong with the pages in use. A connection that only reads changes neither file. */
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
