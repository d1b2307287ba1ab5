import { ClientDisconnected } from "../../../model/errors.ts";
import { type Query, queryValues } from "../../../model/query.ts";
import type { Remote } from "../../../workers/remote_worker.ts";
import type { ChunkRequest } from "../../chunk.ts";
import type { Client } from "../../store.ts";
import type { Reader } from "../reading/reader.ts";

/** A read that waits for a reader, or is in progress. */
export interface PooledRead extends PromiseWithResolvers<unknown> {
  /** The request for a chunk, or another call to a reader. */
  readonly wanted: ChunkRequest | ((reader: Remote<Reader>) => Promise<unknown>);
  /** Without a client, the read is always executed. */
  readonly client?: Client | undefined;
  /** Goes before all others, even when too many wait. */
  readonly isUrgent?: boolean;
  /** Not to be executed together with others. */
  readonly isAlone?: boolean;
}

/** True when a read may be given to a reader together with others, since it seems to be short. */
export function isShort({ wanted, isUrgent, isAlone }: PooledRead): boolean {
  return typeof wanted !== "function" && wanted.head === undefined && isUrgent !== true && isAlone !== true &&
    isShortQuery(wanted.query);
}

/** Larger queries are not short reads: so many values take long, and so much text blocks the main thread. */
const VALUES_MAX = 100;
const UNITS_MAX = 4096;

interface Waiting {
  readonly read: PooledRead;
  /** True when the read continues a page. */
  readonly isNextPart: boolean;
  readonly isShort: boolean;
  readonly isRequeued: boolean;
  /** Aborts when the read is no longer wanted. */
  readonly disconnected: AbortSignal | undefined;
  readonly onDisconnect: () => void;
}

/**
 * Reads that wait for a reader. The next parts of long pages alternate with all other reads when both wait. Short
 * reads are taken several at a time: waking a reader is as much work as such a read.
 */
export class WaitingReads {
  #waiting: Waiting[] = [];
  #wasNextPart = false;

  get count(): number {
    return this.#waiting.length;
  }

  /** True when any of them is not short. */
  get hasOthers(): boolean {
    return this.#waiting.some(({ isShort }) => !isShort);
  }

  /** Adds a read. It is rejected with ClientDisconnected if its client has disconnected or does so later. */
  add(read: PooledRead): void {
    this.#waiting.push(...this.#waitingFor(read));
  }

  /**
   * Adds a read that was taken out and not executed, before all others, but behind those that were requeued before.
   */
  requeue(read: PooledRead): void {
    const others = this.#waiting.findIndex(({ isRequeued }) => !isRequeued);
    this.#waiting.splice(others === -1 ? this.#waiting.length : others, 0, ...this.#waitingFor(read, true));
  }

  /**
   * Takes out the reads that a reader executes next.
   * @param shortMax how many short reads it may be given; with 0, it executes one of the others
   * @returns short reads, or one other, or none
   */
  next(shortMax: number): PooledRead[] {
    const next = this.#next(shortMax === 0 ? this.#waiting.filter(({ isShort }) => !isShort) : this.#waiting);
    if (next === undefined) return [];
    this.#wasNextPart = next.isNextPart;
    return next.isShort ? this.#takeShort(shortMax) : this.#takeOut([next]);
  }

  /** Takes out short reads for a reader that still has some. Takes none when another read is next. */
  nextShort(shortMax: number): PooledRead[] {
    return this.#next(this.#waiting)?.isShort === true ? this.#takeShort(shortMax) : [];
  }

  rejectAll(error: Error): void {
    for (const read of this.#takeOut(this.#waiting)) read.reject(error);
  }

  #next(waiting: readonly Waiting[]): Waiting | undefined {
    return waiting.find(({ read }) => read.isUrgent) ??
      waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart) ?? waiting[0];
  }

  #takeShort(shortMax: number): PooledRead[] {
    return this.#takeOut(this.#waiting.filter(({ isShort }) => isShort).slice(0, shortMax));
  }

  /** @returns nothing when the client has already disconnected */
  #waitingFor(read: PooledRead, isRequeued = false): Waiting[] {
    const disconnected = read.client?.disconnected;
    if (disconnected?.aborted) {
      read.reject(new ClientDisconnected());
      return [];
    }
    const onDisconnect = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      read.reject(new ClientDisconnected());
    };
    const isNextPart = typeof read.wanted !== "function" && read.wanted.head !== undefined;
    const waiting = { read, isNextPart, isShort: isShort(read), isRequeued, disconnected, onDisconnect };
    disconnected?.addEventListener("abort", onDisconnect, { once: true });
    return [waiting];
  }

  #takeOut(taken: readonly Waiting[]): PooledRead[] {
    const gone = new Set(taken);
    this.#waiting = this.#waiting.filter((waiting) => !gone.has(waiting));
    for (const { disconnected, onDisconnect } of taken) {
      disconnected?.removeEventListener("abort", onDisconnect);
    }
    return taken.map(({ read }) => read);
  }
}

function isShortQuery(query: Query): boolean {
  if (typeof query === "string") return true;
  if (queryValues(query) > VALUES_MAX) return false;
  let units = 0;
  for (const { types, identifiers, metadata } of query) {
    for (const type of types) units += type.length;
    for (const tags of [identifiers, metadata]) {
      for (const { name, value } of tags) units += name.length + value.length;
    }
  }
  return units <= UNITS_MAX;
}
