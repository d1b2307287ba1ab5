import { lockDataDirectory } from "../../store/sqlite/data_directory/data_directory.ts";
import { checkDatabaseFile, storePaths } from "../../store/sqlite/data_directory/database_file.ts";

/** Locks the data directory of a stopped server. @throws Error when there is no database, or a server uses it */
export function lockStopped(dataDir: string): Disposable {
  const { database } = storePaths(dataDir);
  // Without a database, the lock would be created in an otherwise empty directory. Until it is held, a server may be
  // writing.
  if (!checkDatabaseFile(database, { mayBeInUse: true })) {
    throw new Error(`there is no database at ${database}`);
  }
  return lockDataDirectory(dataDir);
}
