import { ClientLeft, Refusal } from "../../../model/errors.ts";
import type { ProjectionKey } from "../../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../../chunk.ts";
import type { Client, FoundProjection, StoreReads } from "../../store.ts";
import type { KnownFile } from "../data_directory/store_files.ts";
import { READER_CALLS } from "./codecs.ts";
import type { Reader } from "../reading/reader.ts";
import { type Remote, RemoteWorker } from "../../../workers/remote_worker.ts";

/** Reads that may wait for a reader; one more is refused. */
const WAITING_MAX = 1000;

type ReaderWorker = RemoteWorker<typeof Reader>;

interface ReadOptions {
  /** Without one, the read is made whether or not anybody is left. */
  readonly client?: Client | undefined;
  /** Before all others, and however many wait. */
  readonly isUrgent?: boolean;
  /** It continues a page. */
  readonly isNextPart?: boolean;
}

/** A read that waits for a reader. */
interface Waiting extends PromiseWithResolvers<ReaderWorker> {
  /** Aborts when the read is no longer wanted. */
  readonly left: AbortSignal | undefined;
  readonly isUrgent: boolean;
  readonly isNextPart: boolean;
  readonly onLeave: () => void;
}

/**
 * Reader workers, started on demand, one after the other: to start a worker is more work than a read. Each runs one
 * short read at a time. The next parts of long pages and all other reads take turns when both wait.
 */
export class ReaderPool implements StoreReads {
  readonly max: number;
  /** Why no more readers are started, once a file of the store is lost. Those that are open go on. */
  lost: string | undefined;
  readonly #path: string;
  readonly #files: readonly KnownFile[];
  #idle: ReaderWorker[] = [];
  #waiting: Waiting[] = [];
  /** Those that are open or being opened, idle or not. */
  readonly #readers = new Set<ReaderWorker>();
  #isStarting = false;
  #wasNextPart = false;

  /** @param files of the store as it was opened */
  constructor(path: string, readersMax: number, files: readonly KnownFile[] = []) {
    this.#path = path;
    this.#files = files;
    this.max = readersMax;
  }

  get inUse(): number {
    return this.#readers.size - this.#idle.length - Number(this.#isStarting);
  }

  chunk(request: ChunkRequest, client?: Client, isUrgent = false): Promise<Chunk> {
    const isNextPart = request.head !== undefined;
    return this.#read((reader) => reader.chunk(request), { client, isUrgent, isNextPart });
  }

  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#read((reader) => reader.projection(key), { client });
  }

  async ping(): Promise<void> {
    if (this.lost !== undefined) throw new Refusal("Unavailable", this.lost);
    try {
      // Whether the database can be reached must not depend on how many others are reading it.
      await this.#read((reader) => reader.ping(), { isUrgent: true });
    } catch (error) {
      throw error instanceof Refusal ? error : new Refusal("Unavailable", (error as Error).message);
    }
  }

  /** Closes the connections of all readers; a read that is still in progress is cut off. */
  async close(): Promise<void> {
    await Promise.allSettled(this.#idle.map((reader) => reader.object.close()));
    for (const reader of this.#readers) reader.terminate();
    this.#readers.clear();
    this.#idle = [];
  }

  async #read<T>(
    read: (reader: Remote<Reader>) => Promise<T>,
    options: ReadOptions,
  ): Promise<T> {
    const reader = await this.#take(options);
    try {
      return await read(reader.object);
    } finally {
      this.#giveBack(reader);
    }
  }

  #take(options: ReadOptions): ReaderWorker | Promise<ReaderWorker> {
    const idle = this.#idle.pop();
    if (idle !== undefined) return idle;
    const served = Number(this.#isStarting);
    if (this.#waiting.length - served >= WAITING_MAX && options.isUrgent !== true) {
      throw new Refusal("Unavailable", "too many reads are waiting for a reader");
    }
    const waiting = this.#waitingFor(options);
    this.#waiting.push(waiting);
    // Whichever reader is free first takes it, the new one or another.
    this.#startForWaiting();
    return waiting.promise;
  }

  get #mayStart(): boolean {
    return !this.#isStarting && this.#readers.size < (this.lost === undefined ? this.max : 1);
  }

  #waitingFor({ client, isUrgent = false, isNextPart = false }: ReadOptions): Waiting {
    const left = client?.left;
    if (left?.aborted) throw new ClientLeft();
    const onLeave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.reject(new ClientLeft());
    };
    const waiting = { left, onLeave, isUrgent, isNextPart, ...Promise.withResolvers<ReaderWorker>() };
    left?.addEventListener("abort", onLeave, { once: true });
    return waiting;
  }

  #nextWaiting(): Waiting | undefined {
    const preferred = this.#waiting.find(({ isUrgent }) => isUrgent) ??
      this.#waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart);
    const next = preferred ?? this.#waiting[0];
    if (next === undefined) return undefined;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#wasNextPart = next.isNextPart;
    next.left?.removeEventListener("abort", next.onLeave);
    return next;
  }

  #giveBack(reader: ReaderWorker): void {
    // It may have died: then a read that waits gets a new one.
    if (!this.#readers.has(reader)) return void this.#startForWaiting();
    const next = this.#nextWaiting();
    if (next === undefined) this.#idle.push(reader);
    else next.resolve(reader);
  }

  async #startForWaiting(): Promise<void> {
    if (!this.#mayStart || this.#waiting.length === 0) return;
    this.#isStarting = true;
    const reader: ReaderWorker = new RemoteWorker(
      new URL("./reader_worker.ts", import.meta.url),
      "reader",
      READER_CALLS,
    );
    this.#readers.add(reader);
    reader.onNotice = () => this.#forget(reader);
    try {
      await reader.open(this.#path, this.#files);
      this.#isStarting = false;
      this.#giveBack(reader);
    } catch (error) {
      reader.terminate();
      this.#forget(reader);
      this.#isStarting = false;
      // Without any reader nobody would ever serve them.
      if (this.#readers.size === 0) this.#refuseAll(new Refusal("Unavailable", (error as Error).message));
    }
    this.#startForWaiting();
  }

  #refuseAll(refusal: Refusal): void {
    for (let next = this.#nextWaiting(); next !== undefined; next = this.#nextWaiting()) next.reject(refusal);
  }

  #forget(reader: ReaderWorker): void {
    this.#readers.delete(reader);
    this.#idle = this.#idle.filter((other) => other !== reader);
  }
}
