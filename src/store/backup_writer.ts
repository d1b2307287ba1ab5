import { eventLine } from "../wire/event.ts";
import { openForWriting } from "./connection.ts";
import { createDatabase } from "./create_database.ts";
import type { Database } from "./database.ts";
import { checkDatabaseFile, StoreFileError } from "./database_file.ts";
import { appendEvents, type PreparedEvent, scanEvents } from "./events.ts";
import { readState } from "./identity.ts";
import type { OpenedBackup } from "./messages.ts";
import { createOrigin, type Origin, readOrigin, updateChain } from "./origin.ts";

/** Pages in the WAL after which they are moved into the database file. */
const CHECKPOINT_PAGES = 4000;

/** The database of a backup while events are appended to it, each page in one transaction. */
export class BackupWriter {
  readonly #db: Database;
  #head: number;

  private constructor(db: Database, head: number) {
    this.#db = db;
    this.#head = head;
  }

  /**
   * Opens a backup, or creates it with this origin.
   * @throws StoreFileError for a file that is no backup of this store
   */
  static open(path: string, origin: Origin): { writer: BackupWriter; opened: OpenedBackup } {
    const created = !checkDatabaseFile(path);
    if (created) createDatabase(path, (db) => createOrigin(db, origin));
    const db = openForWriting(path);
    try {
      const found = readOrigin(db);
      if (found === undefined) throw new StoreFileError(`${path} is a database, but no backup`);
      if (found.storeId !== origin.storeId) {
        throw new StoreFileError(`${path} is a backup of the store ${found.storeId}`);
      }
      const { head } = readState(db);
      const opened = { created, head, chain: found.chain, lastLine: lineAt(db, head) };
      return { writer: new BackupWriter(db, head), opened };
    } catch (error) {
      db.close();
      throw error;
    }
  }

  /** Appends events to the open transaction, which the first of them begins. */
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
   * @param chain the chain that includes them
   * @returns the sequence of the last one
   */
  commit(chain: Uint8Array): number {
    updateChain(this.#db, chain);
    this.#db.run("COMMIT");
    return this.#head;
  }

  /**
   * Undoes what was not committed, and moves everything into the one database file.
   * @throws when that is not possible now; what was committed stays safe in the files beside it
   */
  close(): void {
    try {
      if (this.#db.inTransaction) this.#db.run("ROLLBACK");
      const [busy] = this.#db.get("PRAGMA wal_checkpoint(TRUNCATE)") as number[];
      if (busy !== 0) throw new Error("it is being read, so that a part of it stays in its -wal file");
      this.#leaveWalMode();
    } finally {
      this.#db.close();
    }
  }

  /** So that the file can be read where nothing can be written, not even a -shm file beside it. */
  #leaveWalMode(): void {
    try {
      this.#db.all("PRAGMA busy_timeout = 0");
      this.#db.all("PRAGMA journal_mode = DELETE");
    } catch {
      // Somebody has it open. It is complete all the same.
    }
  }

  #checkpointWhenDue(): void {
    const [, total = 0, checkpointed = 0] = this.#db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
    if (total - checkpointed >= CHECKPOINT_PAGES) this.#db.all("PRAGMA wal_checkpoint(PASSIVE)");
  }
}

function lineAt(db: Database, sequence: number): string | undefined {
  const [row] = scanEvents(db, sequence - 1, sequence, 1);
  return row === undefined ? undefined : eventLine(...row);
}
