import type { Database } from "./database.ts";
import { changeStoreId } from "./identity.ts";
import { deleteOrigin } from "./origin.ts";

/**
 * Makes a store of a copied backup: from now on its history is its own, and so is its store ID. The WAL is empty
 * afterwards.
 */
export function startOwnHistory(db: Database): string {
  const storeId = crypto.randomUUID();
  db.run("BEGIN IMMEDIATE");
  changeStoreId(db, storeId);
  deleteOrigin(db);
  db.run("COMMIT");
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  return storeId;
}
