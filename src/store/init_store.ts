import { createDatabase } from "./create_database.ts";
import { lockDataDirectory, makeDataDirectory } from "./data_directory.ts";
import type { Database } from "./database.ts";
import { checkDatabaseFile, StoreFileError, storePaths } from "./database_file.ts";

/**
 * Creates the data directory, where it is missing, and the database in it.
 * @param fill puts the first events in; when it throws there is no database
 * @throws StoreFileError when there is a database already, which stays untouched
 */
export function initStore(
  dataDir: string,
  fill?: (db: Database) => void,
): { readonly path: string; readonly storeId: string } {
  makeDataDirectory(dataDir);
  using _lock = lockDataDirectory(dataDir);
  const path = storePaths(dataDir).database;
  if (checkDatabaseFile(path)) throw new StoreFileError(`${path} exists already; nothing was changed`);
  return { path, storeId: createDatabase(path, fill) };
}
