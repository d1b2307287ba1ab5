import { Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { pagesInWal } from "./wal_pages.ts";

/**
 * Whether a database file that is shorter than it says is whole with its WAL, as after a crash in a checkpoint. One that
 * is not must not be opened for writing: SQLite would fill the gaps with zeros, and remove the WAL.
 * @param path the file itself, not a link to it
 * @param pages how many the file says it has
 * @throws Error when the files cannot be read
 */
export function isWholeWithWal(path: string, pageBytes: number, pages: number): boolean {
  const inWal = pagesInWal(`${path}-wal`, pageBytes);
  const present = Math.floor(Deno.statSync(path).size / pageBytes);
  for (let page = present + 1; page <= pages; page++) {
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
    if (sqlCodeOf(error) === SqlCode.corrupt) return false;
    throw error;
  }
}
