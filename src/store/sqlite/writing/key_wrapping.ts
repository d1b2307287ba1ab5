import type { StoreNotice } from "../../api/store.ts";
import { wrappedText } from "../../core/sealing/master_keys.ts";
import type { Database } from "../connection/database.ts";
import { countKeys, wrapKeys } from "../tables/subjects.ts";
import { type Checkpoints, READERS_WAIT_MILLISECONDS } from "./checkpoints.ts";
import type { SubjectKeys } from "./subject_keys.ts";
import type { TransactionRunner } from "./transaction_runner.ts";

/** The pause while a client has a transaction open. */
const OPEN_MILLISECONDS = 50;

/** The pause after a failure, or while another program reads for long. */
const RETRY_MILLISECONDS = 10_000;

/**
 * Wraps the keys of a store with the first master key after a start, if some are not. It does so in parts, between the
 * write transactions. Then it empties the WAL, so that no file has a byte of the former ones.
 */
export class KeyWrapping {
  readonly #db: Database;
  readonly #keys: Pick<SubjectKeys, "masters" | "wrappings">;
  readonly #transactions: TransactionRunner;
  readonly #checkpoints: Checkpoints;
  readonly #report: (notice: StoreNotice) => void;
  #timer: ReturnType<typeof setTimeout> | undefined;

  constructor(
    db: Database,
    keys: Pick<SubjectKeys, "masters" | "wrappings">,
    transactions: TransactionRunner,
    checkpoints: Checkpoints,
    report: (notice: StoreNotice) => void,
  ) {
    this.#db = db;
    this.#keys = keys;
    this.#transactions = transactions;
    this.#checkpoints = checkpoints;
    this.#report = report;
  }

  start(): void {
    const { masters: { first }, wrappings } = this.#keys;
    if (first !== undefined && wrappings.some((id) => id !== first)) this.#wrapIn(0, 0);
  }

  /** A later start does the rest. */
  stop(): void {
    clearTimeout(this.#timer);
  }

  #wrapIn(milliseconds: number, afterRow: number): void {
    this.#timer = setTimeout(() => this.#wrap(afterRow), milliseconds);
  }

  #wrap(afterRow: number): void {
    if (this.#db.inTransaction) return this.#wrapIn(OPEN_MILLISECONDS, afterRow);
    const began = performance.now();
    if (this.#transactions.begin().kind !== "done") return this.#wrapIn(RETRY_MILLISECONDS, afterRow);
    let next: number | undefined;
    try {
      next = wrapKeys(this.#db, afterRow, this.#keys.masters);
    } catch (error) {
      const { reason } = this.#transactions.abort(error);
      return this.#report({ kind: "keysWrapped", reason: `not all keys of subjects are wrapped: ${reason}` });
    }
    if (this.#transactions.commit().kind !== "done") return this.#wrapIn(RETRY_MILLISECONDS, afterRow);
    this.#checkpoints.runWhenDue();
    // Clients get half of the time.
    if (next !== undefined) return this.#wrapIn(performance.now() - began, next);
    this.#removeTraces();
  }

  #removeTraces(): void {
    if (!this.#db.inTransaction && this.#checkpoints.emptyWal(READERS_WAIT_MILLISECONDS)) {
      const reason = wrappedText(countKeys(this.#db), this.#keys.masters.first!);
      return this.#report({ kind: "keysWrapped", reason });
    }
    const pause = this.#db.inTransaction ? OPEN_MILLISECONDS : RETRY_MILLISECONDS;
    this.#timer = setTimeout(() => this.#removeTraces(), pause);
  }
}
