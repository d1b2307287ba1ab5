import type { TreeBlocks } from "../../../model/block_tree.ts";
import type { TreeState } from "../../../model/merkle_tree.ts";
import { eventLine } from "../../../wire/event.ts";
import type { PreparedEvent } from "../../core/prepare_event.ts";
import { openForWriting } from "../connection/connection.ts";
import { createDatabase } from "../data_directory/create_database.ts";
import { type Database, SqlCode, sqlCodeOf } from "../connection/database.ts";
import { checkDatabaseFile, rejectSecondName, StoreFileError } from "../data_directory/database_file.ts";
import { lossOf, StoreFiles } from "../data_directory/store_files.ts";
import { appendEvents, scanEvents } from "../tables/events.ts";
import { readState } from "../tables/identity.ts";
import { createOrigin, type Origin, readOrigin } from "../tables/origin.ts";
import { addSubjects, hasSubjects } from "../tables/subjects.ts";
import { eventsIn, hasTree, readTree, writeBlocks } from "../tables/tree.ts";
import { replaceChain } from "./chained_backup.ts";

/** Pages in the WAL after which they are moved into the database file. */
const CHECKPOINT_PAGES = 4000;

/** A backup as it was found or created. */
export interface OpenedBackup {
  /** True when this call created the file. */
  readonly created: boolean;
  readonly head: number;
  /** The blocks of the tree over its events. */
  readonly tree: readonly TreeState[];
  /** The line of the last event, with its line feed; undefined when there is none. */
  readonly lastLine: string | undefined;
}

/** The database of a backup while events are appended to it, each page in one transaction. Runs in a worker. */
export class BackupWriter {
  readonly opened: OpenedBackup;
  readonly #db: Database;
  readonly #files: StoreFiles;
  #head: number;

  private constructor(db: Database, files: StoreFiles, opened: OpenedBackup) {
    this.#db = db;
    this.#files = files;
    this.opened = opened;
    this.#head = opened.head;
  }

  /**
   * Opens a backup, or creates it with this origin.
   * @param isSealed whether the source encrypts payloads; their keys are never in a backup
   * @param upgrade the tree of a backup that has none, over its events
   * @throws StoreFileError for a file that is not a backup of this store
   */
  static open(path: string, origin: Origin, isSealed: boolean, upgrade?: TreeBlocks): BackupWriter {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path, (db) => createOrigin(db, origin));
    else rejectSecondName(path);
    using opening = new DisposableStack();
    const db = opening.use(openForWriting(path));
    const found = readOrigin(db);
    if (found === undefined) throw new StoreFileError(`${path} is a database, but not a backup`);
    if (found.storeId !== origin.storeId) {
      throw new StoreFileError(`${path} is a backup of the store ${found.storeId}`);
    }
    if (isSealed) addSubjects(db);
    else if (hasSubjects(db)) {
      // A store never loses its subjects. Another server may be decrypting payloads on their way here.
      throw new StoreFileError(`${path} has encrypted payloads, but the source says that it has no subjects`);
    }
    if (!hasTree(db) && upgrade !== undefined) replaceChain(db, upgrade);
    const { head } = readState(db);
    const tree = treeOf(db, head, path);
    const lastLine = lineAt(db, head);
    opening.move();
    return new BackupWriter(db, new StoreFiles(path), { created, head, tree, lastLine });
  }

  /** Appends events to the open transaction, and begins one if there is none. */
  append(events: readonly PreparedEvent[]): void {
    if (!this.#db.inTransaction) {
      this.#checkpointWhenDue();
      this.#db.run("BEGIN IMMEDIATE");
    }
    appendEvents(this.#db, this.#head, events);
    this.#head += events.length;
  }

  /**
   * Makes the events since the last commit durable.
   * @param tree the blocks of the tree that they have changed
   * @returns the sequence of the last one
   */
  commit(tree: TreeBlocks): number {
    writeBlocks(this.#db, tree);
    this.#db.run("COMMIT");
    this.#rejectLoss();
    return this.#head;
  }

  /**
   * Undoes uncommitted work, and moves everything into one database file.
   * @throws when that is not possible now; committed data is safe in the files next to it
   */
  close(): void {
    // SQLite would remove the -wal and -shm files by name, and they may belong to another database by now.
    this.#rejectLoss();
    try {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      const [busy] = this.#db.get("PRAGMA wal_checkpoint(TRUNCATE)") as number[];
      if (busy !== 0) throw new Error("it is being read, so part of it stays in its -wal file");
      this.#leaveWalMode();
    } finally {
      this.#db.close();
    }
  }

  /** @throws Error when the file was deleted or replaced during the run: nothing that is written to it counts */
  #rejectLoss(): void {
    const loss = lossOf(this.#files.written);
    if (loss !== undefined) throw new Error(loss);
  }

  /** Makes the file readable where nothing can be written, not even a -shm file next to it. */
  #leaveWalMode(): void {
    try {
      this.#db.all("PRAGMA busy_timeout = 0");
      this.#db.all("PRAGMA journal_mode = DELETE");
    } catch (error) {
      // Another process has it open. It is complete anyway. After any other error, the state on the disk is unknown.
      if (sqlCodeOf(error) !== SqlCode.busy) throw error;
    }
  }

  #checkpointWhenDue(): void {
    const [, total = 0, checkpointed = 0] = this.#db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
    if (total - checkpointed >= CHECKPOINT_PAGES) this.#db.all("PRAGMA wal_checkpoint(PASSIVE)");
  }
}

/** @throws StoreFileError when the tree cannot be continued */
function treeOf(db: Database, head: number, path: string): readonly TreeState[] {
  const { blocks, fault } = readTree(db);
  const events = eventsIn(blocks);
  const reason = fault ??
    (events === head ? undefined : `its Merkle tree is of ${events} events, not ${head}`);
  if (reason === undefined) return blocks;
  throw new StoreFileError(`${path} is damaged: ${reason}`);
}

function lineAt(db: Database, sequence: number): string | undefined {
  const [row] = scanEvents(db, { after: sequence - 1, upTo: sequence }, 1);
  return row && eventLine(row);
}
