import type { StoreNotice } from "../../api/store.ts";
import { BUSY_TIMEOUT_MILLISECONDS } from "../connection/connection.ts";
import type { Database } from "../connection/database.ts";
import { mergeSomeRuns } from "../tables/tag_index.ts";
import type { TransactionRunner } from "./transaction_runner.ts";

/**
 * The number of pages in the WAL after which they are moved into the database file, as far as readers allow. The next
 * transaction waits for this, about 5 us a page. With fewer pages, syncing the database file would cost more than
 * moving them.
 */
const CHECKPOINT_PAGES = 1000;

/** Pages (160 MB) after which the writer waits for the readers, which are quick, so that the WAL stays bounded. */
const WAL_PAGES_MAX = 40_000;
export const READERS_WAIT_MILLISECONDS = 1000;

/**
 * The pause after a wait for readers was in vain. Then another program reads for long, and one wait would follow
 * another.
 */
const RETRY_MILLISECONDS = 10_000;

/** The shortest interval between checks of the WAL's length: only a few megabytes can be added meanwhile. */
const LOOK_MILLISECONDS = 10;

/** Idle time after which the WAL is emptied, so that an idle store is a small set of files. */
const IDLE_MILLISECONDS = 2000;

/**
 * Moves the WAL into the database file when the WAL is long enough and when the store is idle. Before that, an idle
 * store merges its tag index, so that later reads cost less.
 */
export class Checkpoints {
  readonly #db: Database;
  readonly #transactions: TransactionRunner;
  readonly #onBroken: () => void;
  readonly #report: (notice: StoreNotice) => void;
  #idleTimer: ReturnType<typeof setTimeout> | undefined;
  #lookedAt = -Infinity;
  #lastTransactionAt = 0;
  #waitsAgainAt = -Infinity;
  /** True when something may have been written since the last merge, or before this start. */
  #isUnmerged = true;
  #failure: string | undefined;

  /**
   * @param onBroken called when an idle store was found broken, or one of its files lost
   * @param report called when the WAL could not be moved, and therefore grows
   */
  constructor(
    db: Database,
    transactions: TransactionRunner,
    onBroken: () => void,
    report: (notice: StoreNotice) => void = () => {},
  ) {
    this.#db = db;
    this.#transactions = transactions;
    this.#onBroken = onBroken;
    this.#report = report;
  }

  /** Why the last checkpoint failed; undefined when it did not, or a reader was in the way. */
  get failure(): string | undefined {
    return this.#failure;
  }

  /** Runs after each transaction. */
  runWhenDue(): void {
    const now = performance.now();
    this.#lastTransactionAt = now;
    this.#isUnmerged = true;
    this.awaitRest();
    if (now < this.#lookedAt + LOOK_MILLISECONDS) return;
    this.#lookedAt = now;
    this.#shortenWal();
  }

  /** Runs after the start, which is not a transaction: unfinished work is done when the store is idle. */
  awaitRest(): void {
    this.#idleTimer ??= this.#wakeIn(IDLE_MILLISECONDS);
  }

  /** Leaves the files as they are from now on, so that they can be copied. */
  stop(): void {
    clearTimeout(this.#idleTimer);
    this.#idleTimer = undefined;
  }

  /**
   * Moves the WAL into the database file and leaves none of it behind.
   * @returns false when a reader takes too long, or it fails: then bytes may be left in a WAL that SQLite calls empty
   */
  emptyWal(waitMilliseconds = BUSY_TIMEOUT_MILLISECONDS): boolean {
    const isDone = this.#run("TRUNCATE", waitMilliseconds) && this.#failure === undefined;
    return isDone && this.#walPages.total === 0;
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
    // One timer for all transactions, since setting one costs as much as inserting an event.
    if (now < restAt) {
      this.#idleTimer = this.#wakeIn(restAt - now);
      return;
    }
    if (this.#isUnmerged) {
      // With the timeout 0, a write that has come meanwhile goes first.
      this.#isUnmerged = this.#waitingFor(0, () => this.#mergeSomeRuns());
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

  /**
   * Does a part of the merging of the tag index that writing has left over, in a transaction of its own. It changes
   * nothing that a reader can see, so it does not matter if a crash undoes it.
   * @returns whether there may be more to do
   */
  #mergeSomeRuns(): boolean {
    if (this.#transactions.begin().kind !== "done") return false;
    try {
      const mayBeMore = mergeSomeRuns(this.#db);
      return this.#transactions.commit().kind === "done" && mayBeMore;
    } catch (error) {
      this.#transactions.abort(error);
      return false;
    }
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
    // The server's own readers are quick.
    const reason = "another program has been reading the database for long";
    this.#report({ kind: "checkpointFailed", reason });
    this.#waitsAgainAt = performance.now() + RETRY_MILLISECONDS;
  }

  /**
   * PASSIVE goes as far as readers allow; the others wait for readers and let the WAL start again.
   * @returns false when readers, or another writer, took too long
   */
  #run(mode: "PASSIVE" | "RESTART" | "TRUNCATE", waitMilliseconds: number): boolean {
    return this.#waitingFor(waitMilliseconds, () => {
      try {
        const [busy] = this.#db.get(`PRAGMA wal_checkpoint(${mode})`) as number[];
        this.#failure = undefined;
        return busy === 0;
      } catch (error) {
        this.#failure = this.#transactions.note(error, "checkpoint");
        this.#report({ kind: "checkpointFailed", reason: this.#failure });
        return true;
      }
    });
  }

  /** Runs work that waits for the locks of others no longer than this. */
  #waitingFor<T>(milliseconds: number, work: () => T): T {
    this.#db.all(`PRAGMA busy_timeout = ${milliseconds}`);
    try {
      return work();
    } finally {
      this.#db.all(`PRAGMA busy_timeout = ${BUSY_TIMEOUT_MILLISECONDS}`);
    }
  }
}
