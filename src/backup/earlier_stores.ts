import { openForChecking } from "../store/connection.ts";
import { checkDatabaseFile } from "../store/database_file.ts";
import { readOrigin } from "../store/origin.ts";
import { targetPath, targetStoreIds } from "./targets.ts";

/** The stores, other than this one, of which the directory holds backups that were read from the same source. */
export function earlierStoreIds(dataDir: string, storeId: string, source: string): string[] {
  return targetStoreIds(dataDir).filter((other) =>
    other !== storeId && sourceOf(targetPath(dataDir, other)) === source
  );
}

/** Undefined for a file that can't be read: it is none of this run's business. */
function sourceOf(path: string): string | undefined {
  try {
    if (!checkDatabaseFile(path)) return undefined;
    const db = openForChecking(path);
    try {
      return readOrigin(db)?.source;
    } finally {
      db.close();
    }
  } catch {
    return undefined;
  }
}
