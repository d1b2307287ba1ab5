import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import { checkDatabaseFile } from "../../store/sqlite/data_directory/database_file.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { backedUpStoreIds, backupPath } from "./backup_files.ts";

/** Returns the other stores in the directory whose backups were read from the same source. */
export function earlierStoreIds(dataDir: string, storeId: string, source: string): string[] {
  return backedUpStoreIds(dataDir).filter((other) =>
    other !== storeId && sourceOf(backupPath(dataDir, other)) === source
  );
}

/** Returns undefined for a file that cannot be read. This run ignores it. */
function sourceOf(path: string): string | undefined {
  try {
    if (!checkDatabaseFile(path)) return undefined;
    using db = openForChecking(path);
    return readOrigin(db)?.source;
  } catch {
    return undefined;
  }
}
