import type { Database } from "../connection/database.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION, VIEWS } from "./schema.ts";

/**
 * Turns an empty file into a database with a new store ID.
 * @returns the store ID
 */
export function createSchema(db: Database): string {
  const storeId = crypto.randomUUID();
  db.script(
    `BEGIN; ${SCHEMA} ${VIEWS} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
  );
  db.run("INSERT INTO store (only_row, id) VALUES (1, ?)", storeId);
  db.run("COMMIT");
  return storeId;
}
