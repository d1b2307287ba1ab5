import { RemoteWorker } from "../../../workers/remote_worker.ts";
import { CallCancelled } from "../../../workers/shared_calls.ts";
import type { KnownFile } from "../data_directory/store_files.ts";
import type { Reader } from "../reading/reader.ts";
import { READ_AHEAD_MAX, READER_CALLS } from "./codecs.ts";
import type { PooledRead } from "./pooled_read.ts";

/** Another reader is worth waking only for reads that take longer. */
const QUICK_MICROSECONDS = 400;

/** A reader is given short reads for about this time. It is given one until the time of a read is known. */
const AHEAD_MICROSECONDS = 8000;

type ReaderWorker = RemoteWorker<typeof Reader>;

/** Starts a worker for a reader. It takes some 50 ms until it can open the database. */
export function startReader(): ReaderWorker {
  return new RemoteWorker(new URL("./reader_worker.ts", import.meta.url), "reader", READER_CALLS);
}

/** The arguments with which every reader of a pool is opened. */
export interface ReaderPlace {
  readonly path: string;
  /** Those of the store as it was opened. */
  readonly files: readonly KnownFile[];
  /** Those that wrap the keys of subjects, in Base64. */
  readonly masterKeys: readonly string[];
}

/** A reader of the pool, and the reads that it has been given: several short ones, or a single other one. */
export class PooledReader {
  readonly #worker: ReaderWorker;
  readonly #slowMilliseconds: number;
  readonly #onEnd: (reader: PooledReader, left: PooledRead | undefined) => void;
  #given = 0;
  /** True when it has been given short reads. */
  #isShort = false;
  /** The start of its present read, in milliseconds by the monotonic clock. */
  #busySince = Infinity;
  #isSlow = false;
  /** Set while short reads wait behind another one. */
  #lookForSlowRead: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param slowMilliseconds when a short read takes longer, those behind it are cancelled
   * @param onEnd called after each read. It gets the read if the reader did not execute it, to be requeued
   */
  constructor(
    worker: ReaderWorker,
    slowMilliseconds: number,
    onEnd: (reader: PooledReader, left: PooledRead | undefined) => void,
  ) {
    this.#worker = worker;
    this.#slowMilliseconds = slowMilliseconds;
    this.#onEnd = onEnd;
  }

  /** @throws WorkerError when the database cannot be opened */
  async open({ path, files, masterKeys }: ReaderPlace, onDeath: () => void): Promise<void> {
    this.#worker.onDeath = onDeath;
    await this.#worker.open(path, files, masterKeys);
  }

  get isIdle(): boolean {
    return this.#given === 0;
  }

  /** True when it executes short reads that have turned out quick: no other reader need start for them. */
  get isQuick(): boolean {
    return this.#given > 0 && this.#isShort && !this.#isSlow &&
      this.#microsecondsEach <= QUICK_MICROSECONDS;
  }

  /** True when short reads wait in it behind another one. */
  get hasAhead(): boolean {
    return this.#given > 1;
  }

  /** How many more short reads it may be given. */
  get capacity(): number {
    if (this.#given > 0 && (this.#isSlow || !this.#isShort)) return 0;
    const affordable = Math.floor(AHEAD_MICROSECONDS / this.#microsecondsEach);
    return Math.max(1, Math.min(affordable, READ_AHEAD_MAX)) - this.#given;
  }

  /** Returns for how many milliseconds it has been busy with its present read, or 0. */
  busyFor(now: number): number {
    return Math.max(0, now - this.#busySince);
  }

  /** Executes a read, and calls `onEnd` before the caller of the read is notified. */
  async execute(read: PooledRead, isShort: boolean): Promise<void> {
    const { wanted } = read;
    if (this.#given++ === 0) this.#busySince = performance.now();
    this.#isShort = isShort;
    this.#cancelLater();
    let left: PooledRead | undefined;
    try {
      const { object } = this.#worker;
      read.resolve(await (typeof wanted === "function" ? wanted(object) : object.chunk(wanted)));
    } catch (error) {
      if (error instanceof CallCancelled) left = read;
      // It is unknown which of them it died of.
      else if (this.#worker.isDead && isShort) left = { ...read, isAlone: true };
      else read.reject(error);
    }
    if (--this.#given === 0) this.#isSlow = false;
    this.#busySince = this.#given === 0 ? Infinity : performance.now();
    this.#onEnd(this, left);
  }

  get #microsecondsEach(): number {
    return this.#worker.callMicroseconds || AHEAD_MICROSECONDS;
  }

  /** Closes its connection and ends its worker. */
  async close(): Promise<void> {
    await Promise.allSettled([this.#worker.object.close()]);
    this.terminate();
  }

  /** Ends its worker, even in the middle of a read. */
  terminate(): void {
    clearTimeout(this.#lookForSlowRead);
    this.#worker.terminate();
  }

  #cancelLater(): void {
    if (this.hasAhead) this.#lookForSlowRead ??= setTimeout(() => this.#cancel(), this.#slowMilliseconds);
  }

  /** Cancels the short reads that it has not begun, if the present one takes long. */
  #cancel(): void {
    this.#lookForSlowRead = undefined;
    if (this.busyFor(performance.now()) >= this.#slowMilliseconds) {
      this.#isSlow = true;
      this.#worker.cancel();
    }
    this.#cancelLater();
  }
}
