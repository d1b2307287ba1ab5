import { createDatabase } from "./create_database.ts";
import { lockDataDirectory, makeDataDirectory } from "./data_directory.ts";
import type { Database } from "../connection/database.ts";
import { checkDatabaseFile, StoreFileError, storePaths } from "./database_file.ts";

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
