import { isThere } from "../../../files/is_there.ts";
import { schemaFaults } from "../backup/checks/file_check.ts";
import { openForWriting } from "../connection/connection.ts";
import { VIEWS } from "../tables/schema.ts";
import { lockDataDirectory } from "./data_directory.ts";
import { checkDatabaseFile, rejectSecondName, StoreFileError, storePaths } from "./database_file.ts";

/**
 * Adds the views to the database of a stopped server that was created before there were any.
 * @returns the path of the database
 * @throws StoreFileError when there is no database, it cannot be written, or something in it has the name of a view
 */
export function addViews(dataDir: string): string {
  const path = storePaths(dataDir).database;
  // Without a database, locking would create a stray lock file.
  if (!isThere(path)) throw new StoreFileError(`there is no database at ${path}`);
  using _lock = lockDataDirectory(dataDir);
  checkDatabaseFile(path);
  rejectSecondName(path);
  try {
    addTo(path);
  } catch (error) {
    throw new StoreFileError(`the views cannot be added to ${path}: ${(error as Error).message}`);
  }
  return path;
}

function addTo(path: string): void {
  using db = openForWriting(path);
  db.run("BEGIN IMMEDIATE");
  db.script(VIEWS);
  const faults = schemaFaults(db);
  if (faults.length > 0) {
    db.run("ROLLBACK");
    throw new Error(faults.join("; "));
  }
  db.run("COMMIT");
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
}
