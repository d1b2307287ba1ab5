import { ApiError } from "../../../model/errors.ts";
import type { ListRequest, ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import type { SubtreePart, SubtreeRequest } from "../../api/subtree.ts";
import type { Tally } from "../../api/tally.ts";
import { type PrefetchedChunk, ReadAhead } from "../../core/read_ahead.ts";
import type { Client, FoundProjection, ProjectionLines, StoreReads, SubjectsPart } from "../../api/store.ts";
import type { KnownFile } from "../data_directory/store_files.ts";
import type { RemoteWorker } from "../../../workers/remote_worker.ts";
import type { Reader } from "../reading/reader.ts";
import { READ_AHEAD_MAX } from "./codecs.ts";
import { OpenReaders } from "./open_readers.ts";
import { PooledReader, type ReaderPlace, startReader } from "./pooled_reader.ts";
import { READER_LIMITS, type ReaderLimits } from "./reader_limits.ts";
import { QueuedReads } from "../../core/queued_reads.ts";
import { isShort, kindOf, type PooledRead } from "./pooled_read.ts";

/** Reads that may wait for a reader; one more is rejected. */
const WAITING_MAX = 1000;

/** The most readers that are started to read ahead for a single page. */
const READERS_FOR_ONE_PAGE = 2;

/** A reader that still has short reads is given more of them when it has capacity for this many. */
const ROOM_MIN = READ_AHEAD_MAX / 2;

/**
 * Reader workers, started on demand, one after the other: starting a worker is more work than a read. A reader has
 * several short reads at once, or a single other one. So it can continue with the next short read without a message
 * from this thread.
 */
export class ReaderPool implements StoreReads {
  readonly max: number;
  /** Why no more readers are started, once a file of the store is lost. Open readers continue. */
  lost: string | undefined;
  /** A worker that was started before it was needed, for the first reader. */
  started: RemoteWorker<typeof Reader> | undefined;
  readonly #place: ReaderPlace;
  readonly #limits: ReaderLimits;
  readonly #readers: OpenReaders;
  readonly #waiting = new QueuedReads<PooledRead>(kindOf);
  readonly #ahead = new ReadAhead();
  #isStarting = false;
  #isClosed = false;
  /** Set while reads wait, in readers or for one. */
  #lookForLongReads: ReturnType<typeof setTimeout> | undefined;

  /**
   * @param files of the store as it was opened
   * @param masterKeys those that wrap the keys of subjects, in Base64
   */
  constructor(
    path: string,
    readersMax: number,
    files: readonly KnownFile[] = [],
    limits: ReaderLimits = READER_LIMITS,
    masterKeys: readonly string[] = [],
  ) {
    this.#place = { path, files, masterKeys };
    this.#limits = limits;
    this.#readers = new OpenReaders(limits);
    this.max = readersMax;
  }

  get inUse(): number {
    return this.#readers.inUse;
  }

  /** Readers that are open or being opened. */
  get size(): number {
    return this.#readers.size;
  }

  chunk(request: ChunkRequest, client?: Client, isUrgent = false): Promise<Chunk> {
    return this.#read<Chunk>(request, { client, isUrgent });
  }

  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined {
    const isFree = this.#readers.hasIdle ||
      (this.#waiting.count === 0 && this.#readers.size < READERS_FOR_ONE_PAGE && this.#mayStart(true));
    return isFree ? this.#ahead.begin(() => this.chunk(request, client)) : undefined;
  }

  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#read<FoundProjection>((reader) => reader.projection(key), { client });
  }

  projections(request: ListRequest, client?: Client): Promise<ProjectionLines> {
    return this.#read<ProjectionLines>((reader) => reader.projections(request), { client });
  }

  subjects(afterRow: number): Promise<SubjectsPart> {
    return this.#read<SubjectsPart>((reader) => reader.subjects(afterRow), {});
  }

  tally(afterSequence: number): Promise<Tally> {
    return this.#read<Tally>((reader) => reader.tally(afterSequence), {});
  }

  subtree(request: SubtreeRequest): Promise<SubtreePart> {
    return this.#read<SubtreePart>((reader) => reader.subtree(request), {});
  }

  async ping(): Promise<void> {
    if (this.lost !== undefined) throw new ApiError("Unavailable", this.lost);
    try {
      // The result must not depend on how many others are reading the database.
      await this.#read<void>((reader) => reader.ping(), { isUrgent: true });
    } catch (error) {
      throw error instanceof ApiError ? error : new ApiError("Unavailable", (error as Error).message);
    }
  }

  /** Closes the connections of all readers. Cuts off a read that is still in progress. */
  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#lookForLongReads);
    this.started?.terminate();
    await this.#readers.close();
  }

  #read<T>(wanted: PooledRead["wanted"], options: Pick<PooledRead, "client" | "isUrgent">): Promise<T> {
    const read = { ...Promise.withResolvers<unknown>(), ...options, wanted };
    const short = isShort(read);
    const reader = short ? this.#forShort() : this.#readers.takeIdle();
    if (reader === undefined) this.#wait(read);
    else reader.execute(read, short);
    return read.promise as Promise<T>;
  }

  /** Returns the reader that gets a short read at once. */
  #forShort(): PooledReader | undefined {
    const idle = this.#readers.mayAddForShort ? this.#readers.takeIdle() : undefined;
    // Waiting reads come first.
    if (idle !== undefined || this.#waiting.count > 0) return idle;
    if (this.#isShortOfReaders) this.#startLater();
    return this.#readers.roomiest;
  }

  get #isShortOfReaders(): boolean {
    return this.#waiting.count > 0 || this.#readers.isShortOfQuick;
  }

  #wait(read: PooledRead): void {
    this.#readers.needAll();
    const served = Number(this.#isStarting);
    if (this.#waiting.count - served >= WAITING_MAX && read.isUrgent !== true) {
      return read.reject(new ApiError("Unavailable", "too many reads are waiting for a reader"));
    }
    this.#waiting.add(read);
    // The first reader that is free executes it: the new one or another.
    this.#startForWaiting();
  }

  #requeue(read: PooledRead): void {
    this.#waiting.requeue(read);
    for (const idle of this.#readers.takeAllIdle()) this.#release(idle);
    this.#startForWaiting();
  }

  /** Gives a reader its next reads. */
  #release(reader: PooledReader): void {
    // It may have died: then a waiting read gets a new reader.
    if (!this.#readers.has(reader)) return void this.#startForWaiting();
    if (!reader.isIdle) {
      if (this.#waiting.count === 0 || (reader.capacity < ROOM_MIN && reader.hasAhead)) return;
      for (const read of this.#waiting.nextShort(reader.capacity)) reader.execute(read, true);
      return;
    }
    const next = this.#waiting.next(this.#readers.mayAddForShort ? reader.capacity : 0);
    for (const read of next) reader.execute(read, isShort(read));
    if (next.length === 0) this.#readers.addIdle(reader);
  }

  /** @param forOthers whether reads wait that are not short */
  #mayStart(forOthers: boolean): boolean {
    if (this.#isStarting || this.#readers.size >= (this.lost === undefined ? this.max : 1)) return false;
    return this.#readers.areFew(forOthers);
  }

  async #startForWaiting(): Promise<void> {
    if (!this.#isShortOfReaders || this.#isClosed) return;
    if (!this.#mayStart(this.#waiting.hasOthers)) return this.#startLater();
    this.#isStarting = true;
    const worker = this.started ?? startReader();
    const reader = new PooledReader(worker, this.#limits.slowMilliseconds, (reader, left) => {
      if (left !== undefined) this.#requeue(left);
      this.#release(reader);
    });
    this.started = undefined;
    this.#readers.add(reader);
    try {
      await reader.open(this.#place, () => this.#readers.remove(reader));
      this.#isStarting = false;
      this.#release(reader);
      this.#readers.endSpareLater();
    } catch (error) {
      reader.terminate();
      this.#readers.remove(reader);
      this.#isStarting = false;
      // Without any reader, the waiting reads would never be served.
      if (this.#readers.size === 0) {
        this.#waiting.rejectAll(new ApiError("Unavailable", (error as Error).message));
      }
    }
    this.#startForWaiting();
  }

  /** Checks again when the reads in progress may have become long ones. */
  #startLater(): void {
    if (this.#isStarting || this.#readers.size >= this.max) return;
    this.#lookForLongReads ??= setTimeout(() => {
      this.#lookForLongReads = undefined;
      this.#startForWaiting();
    }, this.#limits.longMilliseconds);
  }
}
