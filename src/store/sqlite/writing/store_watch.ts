import type { StoreNotice } from "../../api/store.ts";
import type { Database } from "../connection/database.ts";
import type { StoreFiles } from "../data_directory/store_files.ts";
import type { Checkpoints } from "./checkpoints.ts";
import type { TransactionRunner } from "./transaction_runner.ts";

/** How often an idle store checks its files. Every commit does so too. */
const LOOK_MILLISECONDS = 1000;

/** StoreWatch reports that the store is broken or has lost a file, and preserves the other files. */
export class StoreWatch {
  readonly #db: Database;
  readonly #transactions: TransactionRunner;
  readonly #checkpoints: Checkpoints;
  readonly #files: StoreFiles | undefined;
  readonly #report: (notice: StoreNotice) => void;
  #timer: ReturnType<typeof setInterval> | undefined;
  #isPreserved = false;

  /** @param files the files that must stay in their places */
  constructor(
    db: Database,
    transactions: TransactionRunner,
    checkpoints: Checkpoints,
    files: StoreFiles | undefined,
    report: (notice: StoreNotice) => void,
  ) {
    this.#db = db;
    this.#transactions = transactions;
    this.#checkpoints = checkpoints;
    this.#files = files;
    this.#report = report;
  }

  start(): void {
    this.#timer = setInterval(() => {
      this.#transactions.lookClosely();
      this.reportTrouble();
    }, LOOK_MILLISECONDS);
  }

  reportTrouble(): void {
    const { broken, lost } = this.#transactions;
    if (broken !== undefined) this.#report({ kind: "broken", reason: broken });
    if (lost === undefined) return;
    this.#preserve();
    this.#report({ kind: "lost", reason: lost });
  }

  /**
   * Ends the watch after a last look.
   * @returns false when a file is lost, so that the database must stay open: SQLite removes the -wal and -shm files by
   *   name, and they may belong to another database by now
   */
  close(): boolean {
    clearInterval(this.#timer);
    if (!this.#transactions.lookClosely()) return true;
    // Again, since the readers that may have been in the way are closed.
    this.#isPreserved = false;
    this.#preserve();
    return false;
  }

  /**
   * Once a file is lost, the others do not change any more, so that the operator can copy them. The WAL is emptied
   * before that: its content belongs to this database, even if the file was moved. It would damage a file that takes
   * the old name.
   */
  #preserve(): void {
    if (this.#isPreserved) return;
    clearInterval(this.#timer);
    this.#checkpoints.stop();
    if (this.#db.inTransaction) return;
    this.#isPreserved = true;
    if (!this.#files!.mayBeShared) this.#checkpoints.runLast();
  }
}
