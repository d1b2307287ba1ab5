import type { BlockTree } from "../../model/block_tree.ts";
import { openForChecking } from "../../store/sqlite/connection/connection.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { checkDatabaseFile, versionOf } from "../../store/sqlite/data_directory/database_file.ts";
import { readState } from "../../store/sqlite/tables/identity.ts";
import { readOrigin } from "../../store/sqlite/tables/origin.ts";
import { BACKUP_VERSION, SEALED_BACKUP_VERSION } from "../../store/sqlite/tables/schema.ts";
import { hasTree } from "../../store/sqlite/tables/tree.ts";
import { CopiedCheck } from "./copied_check.ts";
import type { SignalGate } from "./signal_gate.ts";
import { Damage, walkHistory } from "./walk_history.ts";

const BACKUP_VERSIONS = [BACKUP_VERSION, SEALED_BACKUP_VERSION];

/** Called from time to time with the sequence of the last event that was read, and of the last one of all. */
type OnProgress = (sequence: number, head: number) => void | Promise<void>;

/**
 * Computes the tree of a backup that has none, because an earlier version of the program made it. The file is not
 * changed.
 * @returns undefined when there is no such backup of this store
 * @throws Error that names the file and the event at fault when the events are not those that were copied
 */
export async function treeOfChained(
  path: string,
  storeId: string,
  gate: SignalGate,
  onProgress: OnProgress,
): Promise<BlockTree | undefined> {
  if (!checkDatabaseFile(path) || BACKUP_VERSIONS.includes(versionOf(path))) return undefined;
  try {
    using db = openForChecking(path);
    // The store of the backup reports a file that is no backup, or one of another store.
    if (hasTree(db) || readOrigin(db)?.storeId !== storeId) return undefined;
    return await checkedTree(db, gate, onProgress);
  } catch (error) {
    if (gate.stopped.aborted) throw error;
    const { message } = error as Error;
    if (!(error instanceof Damage)) throw new Error(`${path} cannot be read: ${message}`);
    throw new Error(`${path} is damaged, nothing was changed: ${message}`);
  }
}

async function checkedTree(db: Database, gate: SignalGate, onProgress: OnProgress): Promise<BlockTree> {
  const { head } = readState(db);
  const copied = new CopiedCheck(db);
  for await (const events of walkHistory(db, { after: 0, upTo: head }, gate)) {
    for (const { line } of events) copied.add(line);
    await onProgress(copied.tree.count, head);
  }
  const fault = copied.fault();
  if (fault !== undefined) throw new Damage(fault);
  return copied.tree;
}
