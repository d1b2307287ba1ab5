import type { Database } from "../connection/database.ts";
import schema from "./schema.sql" with { type: "text" };
import sealing from "./sealing.sql" with { type: "text" };
import tree from "./tree.sql" with { type: "text" };
import views from "./views.sql" with { type: "text" };

export const SCHEMA: string = schema;

/** The statements that create the views which a database lacks. */
export const VIEWS: string = views;

/** The statements that create the tables of a store with subjects, in addition to the others. */
export const SEALING: string = sealing;

/** The statement that creates the table of a backup, in addition to the others. */
export const TREE: string = tree;

/**
 * Stored in `user_version`. A program rejects every other version. Opening a file changes its version in two cases
 * only, each in one transaction: the setting `subjects` turns version 2 into 3, and a server that starts on a backup
 * turns it into a store.
 */
export const SCHEMA_VERSION = 2;

/** The version of a store with subjects, which programs that know nothing of encrypted payloads must not open. */
export const SEALING_VERSION = 3;

/** The versions of a backup, without and with subjects. Programs that know only its former hash chain must not open it. */
export const BACKUP_VERSION = 6;
export const SEALED_BACKUP_VERSION = 7;

export const VERSIONS: readonly number[] = [
  SCHEMA_VERSION,
  SEALING_VERSION,
  BACKUP_VERSION,
  SEALED_BACKUP_VERSION,
];

/** "EvSt", stored in `application_id`: marks an SQLite file as an eventstore database. */
export const APPLICATION_ID = 0x45765374;

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
