import { Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { committedInWal } from "./wal_pages.ts";

/**
 * Whether a database file is whole with the WAL beside it. SQLite applies any WAL to any database: one that belongs to
 * another file, or to an older or newer copy of this one, would make a mixture of both. A file that is shorter than it
 * says, as after a crash in a checkpoint, must not be opened for writing if the WAL lacks what it lacks: SQLite would fill
 * the gaps with zeros, and remove the WAL.
 * @param path the file itself, not a link to it
 * @param pages how many the file says it has
 * @throws Error when the files cannot be read
 */
export function isWholeWithWal(path: string, pageBytes: number, pages: number): boolean {
  const { pages: inWal, pagesAfter } = committedInWal(`${path}-wal`, pageBytes);
  // A store never shrinks, and when it grows, its first page says so.
  if (inWal.size > 0 && (inWal.has(1) ? pagesAfter < pages : pagesAfter !== pages)) return false;
  const present = Math.floor(Deno.statSync(path).size / pageBytes);
  for (let page = present + 1; page <= Math.max(pages, pagesAfter); page++) {
    // A page that is not used for anything need not be in either.
    if (!inWal.has(page)) return isSound(path);
  }
  return true;
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
