import { openForWriting } from "./connection.ts";
import type { Database } from "./database.ts";
import { NewDatabaseFile } from "./new_database_file.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";

/**
 * Creates a database with a new store ID, readable by its owner only. It is there completely or not at all.
 * @param fill puts the first events in; when it throws there is no database
 * @returns the store ID
 */
export function createDatabase(path: string, fill?: (db: Database) => void): string {
  using file = new NewDatabaseFile(path);
  const storeId = crypto.randomUUID();
  const db = openForWriting(file.temporary);
  try {
    db.script(
      `BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
    );
    db.run("INSERT INTO store (only_row, id) VALUES (1, ?)", storeId);
    db.run("COMMIT");
    fill?.(db);
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  file.keep();
  return storeId;
}
