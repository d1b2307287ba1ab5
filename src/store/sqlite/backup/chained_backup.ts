import type { TreeBlocks } from "../../../model/block_tree.ts";
import type { Database } from "../connection/database.ts";
import { addTree, writeBlocks } from "../tables/tree.ts";

/*
 * Earlier versions of the program kept a hash chain over all events in a backup, where there is a tree now. A run
 * replaces it. Without such backups, this file is not needed, nor are old_chain.ts and upgrade_backup.ts of
 * src/backup/history/.
 */

/** Returns the hash chain over all events of a backup without a tree. */
export function readChain(db: Database): Uint8Array {
  return db.get("SELECT chain FROM origin")?.[0] as Uint8Array;
}

/** Replaces the hash chain by the tree over the same events. */
export function replaceChain(db: Database, tree: TreeBlocks): void {
  db.run("BEGIN IMMEDIATE");
  addTree(db);
  writeBlocks(db, tree);
  db.run("UPDATE origin SET chain = zeroblob(0)");
  db.run("COMMIT");
}
