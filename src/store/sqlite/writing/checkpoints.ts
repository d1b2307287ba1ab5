import type { Tell } from "../../../workers/notification.ts";
import { BUSY_TIMEOUT_MILLISECONDS } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { mergeStep } from "./merge_runs.ts";
import type { Transactions } from "./transactions.ts";

/**
 * Pages in the WAL after which they are moved into the database file, as far as readers allow. The turn after that
 * waits for it, about 5 us a page; with fewer, the sync of the database file would cost more than they do.
 */
const CHECKPOINT_PAGES = 1000;

/** Pages (160 MB) after which the writer waits for the readers, which are quick, so that the WAL stays bounded. */
const WAL_PAGES_MAX = 40_000;
const READERS_WAIT_MILLISECONDS = 1000;

/** Where that was in vain, another program reads for long, and waits would follow each other: so long there is none. */
const RETRY_MILLISECONDS = 10_000;

/** The length of the WAL is asked for this often at most: meanwhile, only a few megabytes can come into it. */
const LOOK_MILLISECONDS = 10;

/** Quiet time after which the WAL is emptied, so that a store at rest is a small set of files. */
const IDLE_MILLISECONDS = 2000;

/**
 * Moves the WAL into the database file, when it is long enough and when the store is at rest. Before that, a store at
 * rest gets its tag index in order, so that the reads of quiet hours cost less.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #transactions: Transactions;
  readonly #onBroken: () => void;
  readonly #tell: Tell;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = -Infinity;
  #lastTransactionAt = 0;
  #waitsAgainAt = -Infinity;
  /** Since the last merge, something may have been written; or before this start. */
  #isUnmerged = true;

  /**
   * @param onBroken called when a store at rest was found broken, or one of its files lost
   * @param tell told the reason when the WAL could not be moved, and therefore grows
   */
  constructor(
    db: Database,
    transactions: Transactions,
    onBroken: () => void,
    tell: Tell = () => {},
  ) {
    this.#db = db;
    this.#transactions = transactions;
    this.#onBroken = onBroken;
    this.#tell = tell;
  }

  /** After each transaction. */
  runWhenDue(): void {
    const now = performance.now();
    this.#lastTransactionAt = now;
    this.#isUnmerged = true;
    this.awaitRest();
    if (now < this.#lookedAt + LOOK_MILLISECONDS) return;
    this.#lookedAt = now;
    this.#shortenWal();
  }

  /** After the start, which is no turn: what was left undone is done at rest. */
  awaitRest(): void {
    this.#idleTimer ??= this.#wakeIn(IDLE_MILLISECONDS);
  }

  /** Leaves the files as they are from now on, so that they can be copied. */
  stop(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  /** Leaves an empty WAL behind, unless a reader takes too long. */
  runLast(): void {
    this.stop();
    if (this.#transactions.broken === undefined) this.#run("TRUNCATE", READERS_WAIT_MILLISECONDS);
  }

  #wakeIn(milliseconds: number): ReturnType<typeof setTimeout> {
    return setTimeout(() => this.#runWhenIdle(), milliseconds);
  }

  #runWhenIdle(): void {
    this.#idleTimer = undefined;
    // The end of the open transaction sets the timer again.
    if (this.#db.inTransaction) return;
    const restAt = this.#lastTransactionAt + IDLE_MILLISECONDS;
    const now = performance.now();
    // One timer for all turns, since setting one costs as much as inserting an event.
    if (now < restAt) {
      this.#idleTimer = this.#wakeIn(restAt - now);
      return;
    }
    if (this.#isUnmerged) {
      // A write that has come meanwhile goes first.
      this.#isUnmerged = this.#waitingFor(0, () => mergeStep(this.#db, this.#transactions));
      if (this.#transactions.lost !== undefined) return this.#onBroken();
      if (this.#isUnmerged) {
        this.#shortenWal();
        this.#idleTimer = this.#wakeIn(0);
        return;
      }
    }
    if (this.#transactions.broken === undefined && this.#walPages.total > 0) this.#run("TRUNCATE", 0);
    if (this.#transactions.broken !== undefined) return this.#onBroken();
    // A reader was in the way.
    if (this.#walPages.total > 0) this.#idleTimer = this.#wakeIn(IDLE_MILLISECONDS);
  }

  #shortenWal(): void {
    const { total, pending } = this.#walPages;
    if (total >= WAL_PAGES_MAX) this.#restart();
    else if (pending >= CHECKPOINT_PAGES) this.#run("PASSIVE", 0);
  }

  /** Pages in the WAL, and how many of them are not in the database file yet. */
  get #walPages(): { readonly total: number; readonly pending: number } {
    const [, total = 0, checkpointed = 0] = this.#db.get("PRAGMA wal_checkpoint(NOOP)") as number[];
    return { total, pending: total - checkpointed };
  }

  #restart(): void {
    if (performance.now() < this.#waitsAgainAt) {
      this.#run("RESTART", 0);
      return;
    }
    if (this.#run("RESTART", READERS_WAIT_MILLISECONDS)) return;
    // Its own readers are quick.
    this.#tell({ checkpointFailed: "another program has been reading the database for long" });
    this.#waitsAgainAt = performance.now() + RETRY_MILLISECONDS;
  }

  /**
   * PASSIVE goes as far as readers allow; the others wait for readers and let the WAL start again.
   * @returns false when readers, or somebody who writes, took too long
   */
  #run(mode: "PASSIVE" | "RESTART" | "TRUNCATE", waitMilliseconds: number): boolean {
    return this.#waitingFor(waitMilliseconds, () => {
      try {
        const [busy] = this.#db.get(`PRAGMA wal_checkpoint(${mode})`) as number[];
        return busy === 0;
      } catch (error) {
        this.#tell({ checkpointFailed: this.#transactions.note(error, "checkpoint") });
        return true;
      }
    });
  }

  /** Does something that waits for locks of others no longer than this. */
  #waitingFor<T>(milliseconds: number, work: () => T): T {
    this.#db.all(`PRAGMA busy_timeout = ${milliseconds}`);
    try {
      return work();
    } finally {
      this.#db.all(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
    }
  }
}
