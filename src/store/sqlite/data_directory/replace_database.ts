import { openForWriting } from "../connection/connection.ts";
import { checkDatabaseFile, StoreFileError } from "./database_file.ts";
import { isThere } from "../../../files/is_there.ts";

/** The endings of files that may hold a part of a database after a crash. */
export const JOURNAL_ENDS = ["-wal", "-journal"] as const;

/**
 * Prepares the database at `path` to be replaced by renaming another file over it. No journal may remain next to it,
 * since SQLite would apply it to the new one. The data directory must be locked.
 * @throws StoreFileError when that is not possible; the database is as it was
 */
export function prepareReplacement(path: string): void {
  const journals = (): string[] => JOURNAL_ENDS.map((end) => path + end).filter(isThere);
  const [found] = journals();
  if (found === undefined) return;
  try {
    if (checkDatabaseFile(path)) openForWriting(path).close();
  } catch (error) {
    throw notReplaceable(path, found, (error as Error).message);
  }
  const [left] = journals();
  if (left !== undefined) throw notReplaceable(path, left, "it is still there after the database was opened");
}

function notReplaceable(path: string, journal: string, reason: string): StoreFileError {
  const remedy = "move these files away, or restore to another directory";
  return new StoreFileError(`${path} cannot be replaced safely because of ${journal}: ${reason}; ${remedy}`);
}
