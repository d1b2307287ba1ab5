import { openForWriting } from "./connection.ts";
import { APPLICATION_ID, SCHEMA, SCHEMA_VERSION } from "./schema.ts";
import { parentOf, syncFile } from "./sync_file.ts";

/**
 * Creates an empty database with a new store ID, readable by its owner only.
 * It is built under a temporary name, synced and renamed, so that a crash leaves either nothing or all of it.
 * @returns the store ID
 */
export function createDatabase(path: string): string {
  const temporary = `${path}.new`;
  for (const rest of ["", "-wal", "-shm", "-journal"]) removeIfThere(temporary + rest);
  // SQLite takes an empty file for a new database and keeps its mode, also for the files beside it.
  Deno.openSync(temporary, { write: true, createNew: true, mode: 0o600 }).close();
  Deno.chmodSync(temporary, 0o600);

  const storeId = crypto.randomUUID();
  const db = openForWriting(temporary);
  try {
    db.script(
      `BEGIN; ${SCHEMA} PRAGMA application_id = ${APPLICATION_ID}; PRAGMA user_version = ${SCHEMA_VERSION};`,
    );
    db.run("INSERT INTO store (only_row, id) VALUES (1, ?)", storeId);
    db.run("COMMIT");
    db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  } finally {
    db.close();
  }
  syncFile(temporary);
  Deno.renameSync(temporary, path);
  syncFile(parentOf(path));
  return storeId;
}

function removeIfThere(path: string): void {
  try {
    Deno.removeSync(path);
  } catch (error) {
    if (!(error instanceof Deno.errors.NotFound)) throw error;
  }
}
