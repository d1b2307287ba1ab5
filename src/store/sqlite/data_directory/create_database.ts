import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { lockDataDirectory, makeDataDirectory } from "./data_directory.ts";
import { checkDatabaseFile, StoreFileError, storePaths } from "./database_file.ts";
import { NewDatabaseFile } from "./new_database_file.ts";
import { readState } from "../tables/identity.ts";
import { createSchema } from "../tables/schema.ts";

/**
 * Creates a database with a new store ID, readable by its owner only. It is created completely or not at all.
 * @param fill writes the first events, and may change the store ID; when it throws, no database is created
 * @returns the store ID
 */
export function createDatabase(path: string, fill?: (db: Database) => void): string {
  using file = named(path, () => new NewDatabaseFile(path));
  let storeId: string;
  {
    using db = named(path, () => openForWriting(file.temporary));
    named(path, () => createSchema(db));
    fill?.(db);
    storeId = readState(db).storeId;
    named(path, () => db.all("PRAGMA wal_checkpoint(TRUNCATE)"));
  }
  named(path, () => file.keep());
  return storeId;
}

/**
 * Creates the data directory, if it is missing, and the database in it.
 * @param fill writes the first events; when it throws, no database is created
 * @throws StoreFileError when a database already exists, which stays untouched
 */
export function initStore(
  dataDir: string,
  fill?: (db: Database) => void,
): { readonly path: string; readonly storeId: string } {
  makeDataDirectory(dataDir);
  using _lock = lockDataDirectory(dataDir);
  const path = storePaths(dataDir).database;
  if (checkDatabaseFile(path)) throw new StoreFileError(`${path} already exists; nothing was changed`);
  return { path, storeId: createDatabase(path, fill) };
}

/** @throws StoreFileError that names the database, since SQLite's errors do not */
function named<T>(path: string, work: () => T): T {
  try {
    return work();
  } catch (error) {
    throw new StoreFileError(`${path} cannot be created: ${(error as Error).message}`);
  }
}
