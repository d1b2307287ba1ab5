import type { StoredSubject } from "../../api/store.ts";
import type { Database } from "../connection/database.ts";
import { changeStoreId } from "../tables/identity.ts";
import { deleteOrigin } from "../tables/origin.ts";
import { VIEWS } from "../tables/schema.ts";
import { addSubjects, insertSubjects } from "../tables/subjects.ts";

/**
 * Turns a copied backup into a store with its own history and store ID. The WAL is empty afterwards.
 * @param subjects keys in use, and what was forgotten
 */
export function startOwnHistory(db: Database, subjects: readonly StoredSubject[]): string {
  const storeId = crypto.randomUUID();
  if (subjects.length > 0) addSubjects(db);
  db.run("BEGIN IMMEDIATE");
  changeStoreId(db, storeId);
  deleteOrigin(db);
  insertSubjects(db, subjects);
  db.script(VIEWS);
  db.run("COMMIT");
  db.all("PRAGMA wal_checkpoint(TRUNCATE)");
  return storeId;
}
