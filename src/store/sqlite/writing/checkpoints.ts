import { BUSY_TIMEOUT_MILLISECONDS } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import type { Transactions } from "./transactions.ts";

/** Pages in the WAL after which they are moved into the database file, as far as readers allow. */
const CHECKPOINT_PAGES = 4000;

/** Pages (160 MB) after which the writer waits for the readers, which are quick, so that the WAL stays bounded. */
const WAL_PAGES_MAX = 40_000;
const READERS_WAIT_MILLISECONDS = 1000;

/** Quiet time after which the WAL is emptied, so that a store at rest is a small set of files. */
const IDLE_MILLISECONDS = 2000;

/** Moves the WAL into the database file, when it is long enough and when the store is at rest. */
export class Checkpoints {
  readonly #db: Database;
  readonly #transactions: Transactions;
  readonly #onBroken: () => void;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;

  /** @param onBroken called when the checkpoint of a store at rest has broken it */
  constructor(db: Database, transactions: Transactions, onBroken: () => void) {
    this.#db = db;
    this.#transactions = transactions;
    this.#onBroken = onBroken;
  }

  /** After each transaction. */
  runWhenDue(): void {
    clearTimeout(this.#idleTimer);
    const { total, pending } = this.#walPages;
    if (total >= WAL_PAGES_MAX) this.#run("RESTART", READERS_WAIT_MILLISECONDS);
    else if (pending >= CHECKPOINT_PAGES) this.#run("PASSIVE", 0);
    if (total > 0) this.#awaitRest();
  }

  /** Leaves the files as they are from now on, so that they can be copied. */
  stop(): void {
    clearTimeout(this.#idleTimer);
  }

  /** Leaves an empty WAL behind, unless a reader takes too long. */
  runLast(): void {
    this.stop();
    if (this.#transactions.broken === undefined) this.#run("TRUNCATE", READERS_WAIT_MILLISECONDS);
  }

  #awaitRest(): void {
    this.#idleTimer = setTimeout(() => this.#runAtRest(), IDLE_MILLISECONDS);
  }

  #runAtRest(): void {
    // The end of the open transaction sets the timer again.
    if (this.#db.inTransaction) return;
    this.#run("TRUNCATE", 0);
    if (this.#transactions.broken !== undefined) return this.#onBroken();
    // A reader was in the way.
    if (this.#walPages.total > 0) this.#awaitRest();
  }

  /** Pages in the WAL, and how many of them are not in the database file yet. */
  get #walPages(): { readonly total: number; readonly pending: number } {
    const [, total = 0, checkpointed = 0] = this.#db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
    return { total, pending: total - checkpointed };
  }

  /** PASSIVE goes as far as readers allow; the others wait for readers and let the WAL start again. */
  #run(mode: "PASSIVE" | "RESTART" | "TRUNCATE", waitMilliseconds: number): void {
    try {
      this.#db.all(`PRAGMA busy_timeout = ${waitMilliseconds}`);
      this.#db.all(`PRAGMA wal_checkpoint(${mode})`);
    } catch (error) {
      this.#transactions.note(error, "checkpoint");
    } finally {
      this.#db.all(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
    }
  }
}
