import { MemoryQuota } from "../../async/memory_quota.ts";
import { type Access, isSameOwner } from "../../model/access.ts";
import { ApiError, ClientDisconnected, LimitReached } from "../../model/errors.ts";
import { ReadingClock, SWEEP_MILLISECONDS } from "../../time/reading_clock.ts";
import type { Statistics } from "./statistics.ts";
import { OptimisticTransaction, type TransactionLimits } from "./optimistic_transaction.ts";

export interface OpenTransactionsOptions extends TransactionLimits {
  readonly maxOpenTx: number;
  readonly idleSeconds: number;
}

interface Entry {
  /** The access that began it. No other may call it. */
  readonly owner: Access;
  readonly transaction: OptimisticTransaction;
  /** When the last call ended. Undefined during a call, from before its body is read until its response is complete. */
  idleSince: number | undefined;
  /** Size of the requests that it keeps. */
  bytes: number;
}

/** Memory that each transaction may use, however much the others do. So small transactions always fit. */
const FREE_BYTES = 64 * 1024;

/** MiB that all transactions together may hold beyond that: three of the largest that the default limits allow. */
const SHARED_MIB_MAX = 128;

function sharedBytes(bytes: number): number {
  return Math.max(0, bytes - FREE_BYTES);
}

/** The open transactions in memory. Each runs one call at a time, and expires when no calls come. */
export class OpenTransactions {
  readonly #options: OpenTransactionsOptions;
  readonly #statistics: Statistics;
  readonly #entries = new Map<string, Entry>();
  readonly #clock = new ReadingClock();
  readonly #sweep: ReturnType<typeof setInterval>;
  readonly #shared = new MemoryQuota(SHARED_MIB_MAX * 2 ** 20);

  constructor(options: OpenTransactionsOptions, statistics: Statistics) {
    this.#options = options;
    this.#statistics = statistics;
    this.#sweep = setInterval(() => this.#expire(this.#clock.sweep()), SWEEP_MILLISECONDS);
  }

  get count(): number {
    return this.#entries.size;
  }

  /** @returns the ID of a new transaction. @throws ApiError `TooManyTransactions` */
  begin(owner: Access): string {
    const { maxOpenTx } = this.#options;
    if (this.#entries.size >= maxOpenTx) {
      throw new ApiError(
        "TooManyTransactions",
        `${maxOpenTx} transactions are already open, the limit set by maxOpenTx`,
      );
    }
    const txId = crypto.randomUUID();
    const transaction = new OptimisticTransaction(this.#options);
    this.#entries.set(txId, { owner, transaction, idleSince: this.#clock.now, bytes: 0 });
    this.#statistics.transactions.begun++;
    return txId;
  }

  /**
   * Runs a call on a transaction. Every error ends the transaction, with two exceptions: a missing projection, and
   * a client that disconnected before its request was complete.
   * @throws ApiError `TransactionNotFound` or `TransactionBusy`, or what `call` throws
   */
  async call<T>(
    txId: string,
    access: Access,
    call: (transaction: OptimisticTransaction, running: RunningCall) => Promise<T>,
  ): Promise<T> {
    const entry = this.#entryOf(txId, access);
    if (entry === undefined) throw new ApiError("TransactionNotFound");
    this.#assertFree(entry);
    entry.idleSince = undefined;
    let extended = false;
    const end = (): void => void (entry.idleSince = this.#clock.now);
    try {
      const running = {
        end,
        extend: () => void (extended = true),
        finish: () => this.#remove(txId),
        hold: (bytes: number) => this.#hold(entry, bytes),
        bytesHeld: () => entry.bytes,
      };
      return await call(entry.transaction, running);
    } catch (error) {
      if (!(error instanceof ClientDisconnected)) this.#remove(txId);
      if (isDesignError(error)) this.#statistics.transactions.designErrors++;
      extended = false;
      throw error;
    } finally {
      if (!extended) end();
    }
  }

  /** Ends a transaction without a commit, if there is one. @throws ApiError `TransactionBusy` */
  abandon(txId: string, access: Access): void {
    const entry = this.#entryOf(txId, access);
    if (entry === undefined) return;
    this.#assertFree(entry);
    this.#remove(txId);
    this.#statistics.transactions.abandoned++;
  }

  close(): void {
    clearInterval(this.#sweep);
    this.#entries.clear();
  }

  /** Returns an open transaction, if it is one of this access. Two tokens of one owner share theirs. */
  #entryOf(txId: string, access: Access): Entry | undefined {
    const entry = this.#entries.get(txId);
    return entry !== undefined && isSameOwner(entry.owner, access) ? entry : undefined;
  }

  #remove(txId: string): void {
    const entry = this.#entries.get(txId);
    if (entry === undefined) return;
    this.#entries.delete(txId);
    this.#shared.release(sharedBytes(entry.bytes));
  }

  /** @throws ApiError `TooManyTransactions` */
  #hold(entry: Entry, bytes: number): void {
    const more = sharedBytes(entry.bytes + bytes) - sharedBytes(entry.bytes);
    if (!this.#shared.fits(more)) {
      throw new ApiError(
        "TooManyTransactions",
        `the open transactions hold too much that is not committed: ${SHARED_MIB_MAX} MiB together at most`,
      );
    }
    entry.bytes += bytes;
    this.#shared.take(more);
  }

  #assertFree(entry: Entry): void {
    if (entry.idleSince !== undefined) return;
    this.#statistics.transactions.busy++;
    throw new ApiError("TransactionBusy", "another call is running on this transaction");
  }

  /**
   * Ends the transactions that had no call for their idle time, or whose token is no longer valid. A timer for each of
   * them would cost every call.
   */
  #expire(now: number): void {
    const oldest = now - this.#options.idleSeconds * 1000;
    for (const [txId, { idleSince, owner: { gone } }] of this.#entries) {
      if (idleSince === undefined || idleSince > oldest && gone?.aborted !== true) continue;
      this.#remove(txId);
      this.#statistics.transactions.expired++;
    }
  }
}

/** Functions by which a call reports its own end and its memory. */
export interface RunningCall {
  /** Keeps the call running after its handler has returned, until `end` is called: its response is a stream. */
  extend(): void;
  end(): void;
  finish(): void;
  /** Counts bytes of the call as held by the transaction. @throws ApiError `TooManyTransactions` */
  hold(bytes: number): void;
  /** The bytes of all calls of the transaction so far. */
  bytesHeld(): number;
}

/** True for broken rules and malformed bodies, but not for limits and sizes. */
function isDesignError(error: unknown): boolean {
  return error instanceof ApiError && error.code === "InvalidRequest" && !(error instanceof LimitReached);
}
