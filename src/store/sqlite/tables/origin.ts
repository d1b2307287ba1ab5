import type { Database } from "../connection/database.ts";
import { addTree, deleteTree, hasTree } from "./tree.ts";

/** The source of a backup's events. A store that is not a backup has no origin. */
export interface Origin {
  readonly storeId: string;
  /** The address at which the source was first read: a URL, or the path of a socket. */
  readonly source: string;
}

export function readOrigin(db: Database): Origin | undefined {
  const row = db.get("SELECT store_id, source FROM origin");
  if (row === undefined) return undefined;
  const [storeId, source] = row as [string, string];
  return { storeId, source };
}

/** Turns a new database into a backup without events. */
export function createOrigin(db: Database, origin: Origin): void {
  addTree(db);
  db.run(
    "INSERT INTO origin (only_row, store_id, source, chain) VALUES (1, ?, ?, zeroblob(0))",
    origin.storeId,
    origin.source,
  );
}

/** Turns the copy of a backup into a store, if it is one. */
export function leaveBackup(db: Database): void {
  if (!hasTree(db)) return;
  db.run("BEGIN IMMEDIATE");
  deleteOrigin(db);
  db.run("COMMIT");
}

/** Turns a backup into a store, inside the open transaction. */
export function deleteOrigin(db: Database): void {
  db.run("DELETE FROM origin");
  deleteTree(db);
}
