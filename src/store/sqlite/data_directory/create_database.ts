import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { NewDatabaseFile } from "./new_database_file.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "../tables/schema.ts";

/**
 * Creates a database with a new store ID, readable by its owner only. It is created completely or not at all.
 * @param fill puts the first events in; when it throws, no database is created
 * @returns the store ID
 */
export function createDatabase(path: string, fill?: (db: Database) => void): string {
  using file = new NewDatabaseFile(path);
  const storeId = crypto.randomUUID();
  {
    using db = openForWriting(file.temporary);
    db.script(
      `BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
    );
    db.run("INSERT INTO store (only_row, id) VALUES (1, ?)", storeId);
    db.run("COMMIT");
    fill?.(db);
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  file.keep();
  return storeId;
}
