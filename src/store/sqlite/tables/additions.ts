import type { Database } from "../connection/database.ts";
import { BACKUP_VERSION, SCHEMA_VERSION, SEALED_BACKUP_VERSION, SEALING_VERSION } from "./schema.ts";

/** The tables that a database has in addition to those of every store. */
export interface Additions {
  /** Those of subjects. */
  readonly subjects: boolean;
  /** That of the tree of a backup. */
  readonly tree: boolean;
}

/** Returns the additions that the version of a database stands for. */
export function readAdditions(db: Database): Additions {
  const version = db.get("PRAGMA user_version")?.[0];
  return {
    subjects: version === SEALING_VERSION || version === SEALED_BACKUP_VERSION,
    tree: version === BACKUP_VERSION || version === SEALED_BACKUP_VERSION,
  };
}

/** Stores the version of a database whose tables change in the same transaction. */
export function changeAdditions(db: Database, changed: Partial<Additions>): void {
  const { subjects, tree } = { ...readAdditions(db), ...changed };
  const [plain, sealed] = tree ? [BACKUP_VERSION, SEALED_BACKUP_VERSION] : [SCHEMA_VERSION, SEALING_VERSION];
  db.script(`PRAGMA user_version = ${subjects ? sealed : plain}`);
}
