import { Refusal } from "../../../model/errors.ts";
import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import { type ChunkAhead, ChunksAhead } from "../../chunks_ahead.ts";
import type { Client, FoundProjection, StoreReads } from "../../store.ts";
import type { KnownFile } from "../data_directory/store_files.ts";
import { READER_CALLS } from "./codecs.ts";
import type { Reader } from "../reading/reader.ts";
import { RemoteWorker } from "../../../workers/remote_worker.ts";
import { type PooledRead, WaitingReads } from "./waiting_reads.ts";

/** Reads that may wait for a reader; one more is refused. */
const WAITING_MAX = 1000;

/** A single page that is read ahead starts no more readers than these. */
const READERS_FOR_ONE_PAGE = 2;

/** How many readers there are, within the most that there may be. */
export interface ReaderCounts {
  /** Readers for short reads: many more of them than processors would only cost memory, 12 MB each. */
  readonly usual: number;
  /** A reader busy with one read for longer counts as absent: it may wait for a disk, and another one starts. */
  readonly longMilliseconds: number;
  /** Readers beyond the usual number end when they were not needed for so long. */
  readonly spareMilliseconds: number;
}

const COUNTS: ReaderCounts = {
  usual: navigator.hardwareConcurrency,
  // A chunk ends after 25 ms, unless one of its steps takes long.
  longMilliseconds: 100,
  spareMilliseconds: 10_000,
};

type ReaderWorker = RemoteWorker<typeof Reader>;
type ReadOptions = Pick<PooledRead, "client" | "isUrgent">;

/** Starts a worker for a reader. It takes some 50 ms until it can open the database. */
export function startReader(): ReaderWorker {
  return new RemoteWorker(new URL("./reader_worker.ts", import.meta.url), "reader", READER_CALLS);
}

/**
 * Reader workers, started on demand, one after the other: to start a worker is more work than a read. Each makes one
 * short read at a time, or several that have waited for it.
 */
export class ReaderPool implements StoreReads {
  readonly max: number;
  /** Why no more readers are started, once a file of the store is lost. Those that are open go on. */
  lost: string | undefined;
  /** A worker that was started before it was needed, for the first reader. */
  started: ReaderWorker | undefined;
  readonly #path: string;
  readonly #files: readonly KnownFile[];
  readonly #counts: ReaderCounts;
  /** The one that was used last is the last: the first may not be needed. */
  #idle: ReaderWorker[] = [];
  readonly #waiting = new WaitingReads();
  readonly #ahead = new ChunksAhead();
  /** Those that are open or being opened, idle or not. */
  readonly #readers = new Set<ReaderWorker>();
  /** Since when readers are busy with their present read, in milliseconds by the monotonic clock. */
  readonly #busySince = new Map<ReaderWorker, number>();
  #isStarting = false;
  #isClosed = false;
  /** Set while reads wait. */
  #lookForLongReads: ReturnType<typeof setTimeout> | undefined;
  /** Set while there are more readers than usual. */
  #lookForSpare: ReturnType<typeof setTimeout> | undefined;
  /** The fewest readers that were idle at once since the last look. */
  #spare = 0;

  /** @param files of the store as it was opened */
  constructor(path: string, readersMax: number, files: readonly KnownFile[] = [], counts = COUNTS) {
    this.#path = path;
    this.#files = files;
    this.#counts = counts;
    this.max = readersMax;
  }

  get inUse(): number {
    return this.#busySince.size;
  }

  /** Readers that are open or being opened. */
  get size(): number {
    return this.#readers.size;
  }

  chunk(request: ChunkRequest, client?: Client, isUrgent = false): Promise<Chunk> {
    return this.#read<Chunk>(request, { client, isUrgent });
  }

  chunkAhead(request: ChunkRequest, client: Client): ChunkAhead | undefined {
    const isFree = this.#idle.length > 0 ||
      (this.#waiting.count === 0 && this.#readers.size < READERS_FOR_ONE_PAGE && this.#mayStart);
    return isFree ? this.#ahead.begin(() => this.chunk(request, client)) : undefined;
  }

  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#read<FoundProjection>((reader) => reader.projection(key), { client });
  }

  async ping(): Promise<void> {
    if (this.lost !== undefined) throw new Refusal("Unavailable", this.lost);
    try {
      // Whether the database can be reached must not depend on how many others are reading it.
      await this.#read<void>((reader) => reader.ping(), { isUrgent: true });
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal("Unavailable", (error as Error).message);
    }
  }

  /** Closes the connections of all readers; a read that is still in progress is cut off. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#lookForLongReads);
    clearTimeout(this.#lookForSpare);
    const idle = this.#idle.splice(0);
    await Promise.allSettled(idle.map((reader) => reader.object.close()));
    this.started?.terminate();
    for (const reader of this.#readers) reader.terminate();
    this.#readers.clear();
    this.#busySince.clear();
    this.#idle = [];
  }

  #read<T>(wanted: PooledRead["wanted"], options: ReadOptions): Promise<T> {
    const read = { ...Promise.withResolvers<unknown>(), ...options, wanted };
    const idle = this.#idle.pop();
    if (idle === undefined) this.#wait(read);
    else {
      this.#spare = Math.min(this.#spare, this.#idle.length);
      this.#make(idle, [read]);
    }
    return read.promise as Promise<T>;
  }

  #wait(read: PooledRead): void {
    this.#spare = 0;
    const served = Number(this.#isStarting);
    if (this.#waiting.count - served >= WAITING_MAX && read.isUrgent !== true) {
      return read.reject(new Refusal("Unavailable", "too many reads are waiting for a reader"));
    }
    this.#waiting.add(read);
    // Whichever reader is free first makes it, the new one or another.
    this.#startForWaiting();
  }

  /** @param reads one, or several chunks */
  async #make(reader: ReaderWorker, reads: readonly PooledRead[]): Promise<void> {
    this.#busySince.set(reader, performance.now());
    const [first] = reads as [PooledRead];
    try {
      if (typeof first.wanted === "function") first.resolve(await first.wanted(reader.object));
      else {
        const chunks = await reader.object.chunks(reads.map(({ wanted }) => wanted as ChunkRequest));
        for (const [i, chunk] of chunks.entries()) reads[i]!.resolve(chunk);
        this.#putBack(reads.slice(chunks.length));
      }
    } catch (error) {
      if (reads.length === 1) first.reject(error);
      // Nobody knows which of them it was.
      else this.#putBack(reads.map((read) => ({ ...read, isAlone: true })));
    }
    this.#giveBack(reader);
  }

  #putBack(reads: readonly PooledRead[]): void {
    if (reads.length === 0) return;
    this.#waiting.putBack(reads);
    // Readers may have become idle while these were in the hand of another one.
    for (const idle of this.#idle.splice(0)) this.#giveBack(idle);
  }

  #giveBack(reader: ReaderWorker): void {
    this.#busySince.delete(reader);
    // It may have died: then a read that waits gets a new one.
    if (!this.#readers.has(reader)) return void this.#startForWaiting();
    const next = this.#waiting.next(Math.min(this.#counts.usual, this.max));
    if (next.length === 0) this.#idle.push(reader);
    else this.#make(reader, next);
  }

  get #mayStart(): boolean {
    if (this.#isStarting || this.#readers.size >= (this.lost === undefined ? this.max : 1)) return false;
    const longSince = performance.now() - this.#counts.longMilliseconds;
    let quick = this.#readers.size;
    for (const since of this.#busySince.values()) if (since <= longSince) quick--;
    return quick < this.#counts.usual;
  }

  async #startForWaiting(): Promise<void> {
    if (this.#waiting.count === 0 || this.#isClosed) return;
    if (!this.#mayStart) return this.#startLater();
    this.#isStarting = true;
    const reader = this.started ?? startReader();
    this.started = undefined;
    this.#readers.add(reader);
    reader.onNotice = () => this.#forget(reader);
    try {
      await reader.open(this.#path, this.#files);
      this.#isStarting = false;
      this.#giveBack(reader);
      this.#endSpareLater();
    } catch (error) {
      reader.terminate();
      this.#forget(reader);
      this.#isStarting = false;
      // Without any reader nobody would ever serve them.
      if (this.#readers.size === 0) {
        this.#waiting.refuseAll(new Refusal("Unavailable", (error as Error).message));
      }
    }
    this.#startForWaiting();
  }

  /** Looks again when the reads that the readers are busy with may have become long ones. */
  #startLater(): void {
    if (this.#isStarting || this.#readers.size >= this.max) return;
    this.#lookForLongReads ??= setTimeout(() => {
      this.#lookForLongReads = undefined;
      this.#startForWaiting();
    }, this.#counts.longMilliseconds);
  }

  #endSpareLater(): void {
    if (this.#readers.size <= this.#counts.usual) return;
    this.#spare = this.#idle.length;
    this.#lookForSpare ??= setTimeout(() => {
      this.#lookForSpare = undefined;
      this.#endSpare();
      this.#endSpareLater();
    }, this.#counts.spareMilliseconds);
  }

  /** Ends readers that were idle all the time, which gives back their memory. */
  #endSpare(): void {
    const count = Math.min(this.#spare, this.#idle.length, this.#readers.size - this.#counts.usual);
    for (const reader of this.#idle.slice(0, count)) {
      this.#forget(reader);
      Promise.allSettled([reader.object.close()]).then(() => reader.terminate());
    }
  }

  #forget(reader: ReaderWorker): void {
    this.#readers.delete(reader);
    this.#idle = this.#idle.filter((other) => other !== reader);
  }
}
