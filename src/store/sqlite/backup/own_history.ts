import type { Database } from "../connection/database.ts";
import { changeStoreId } from "../tables/identity.ts";
import { deleteOrigin } from "../tables/origin.ts";
import { VIEWS } from "../tables/schema.ts";

/** Turns a copied backup into a store with its own history and store ID. The WAL is empty afterwards. */
export function startOwnHistory(db: Database): string {
  const storeId = crypto.randomUUID();
  db.run("BEGIN IMMEDIATE");
  changeStoreId(db, storeId);
  deleteOrigin(db);
  db.script(VIEWS);
  db.run("COMMIT");
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  return storeId;
}
