import { openForWriting } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { NewDatabaseFile } from "./new_database_file.ts";
import { createSchema } from "../tables/create_schema.ts";

/**
 * Creates a database with a new store ID, readable by its owner only. It is created completely or not at all.
 * @param fill puts the first events in; when it throws, no database is created
 * @returns the store ID
 */
export function createDatabase(path: string, fill?: (db: Database) => void): string {
  using file = new NewDatabaseFile(path);
  let storeId: string;
  {
    using db = openForWriting(file.temporary);
    storeId = createSchema(db);
    fill?.(db);
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  }
  file.keep();
  return storeId;
}
