import { ClientDisconnected } from "../../../model/errors.ts";
import { type Query, queryValues } from "../../../model/query.ts";
import type { Remote } from "../../../workers/remote_worker.ts";
import type { ChunkRequest } from "../../chunk.ts";
import type { Client } from "../../store.ts";
import type { Reader } from "../reading/reader.ts";

/** A read that waits for a reader, or is being made. */
export interface PooledRead extends PromiseWithResolvers<unknown> {
  /** A chunk, or what a reader is called for by itself. */
  readonly wanted: ChunkRequest | ((reader: Remote<Reader>) => Promise<unknown>);
  /** Without one, the read is made whether or not anybody is left. */
  readonly client?: Client | undefined;
  /** Before all others, and however many wait. */
  readonly isUrgent?: boolean;
  /** Not to be made together with others. */
  readonly isAlone?: boolean;
}

/** Whether a read may be given to a reader together with others: it seems to be a short one. */
export function isShort({ wanted, isUrgent, isAlone }: PooledRead): boolean {
  return typeof wanted !== "function" && wanted.head === undefined && isUrgent !== true && isAlone !== true &&
    isShortQuery(wanted.query);
}

/** Longer queries are not short reads: so many values take long, and so much text holds the main thread. */
const VALUES_MAX = 100;
const UNITS_MAX = 4096;

interface Waiting {
  readonly read: PooledRead;
  /** Whether it continues a page. */
  readonly isNextPart: boolean;
  readonly isShort: boolean;
  readonly isPutBack: boolean;
  /** Aborts when the read is no longer wanted. */
  readonly disconnected: AbortSignal | undefined;
  readonly onLeave: () => void;
}

/**
 * Reads that wait for a reader. The next parts of long pages and all other reads take turns when both wait. Short reads
 * are taken several at a time: to wake up a reader is as much work as such a read.
 */
export class WaitingReads {
  #waiting: Waiting[] = [];
  #wasNextPart = false;

  get count(): number {
    return this.#waiting.length;
  }

  /** Whether any of them is not short. */
  get hasOthers(): boolean {
    return this.#waiting.some(({ isShort }) => !isShort);
  }

  /** Adds a read, which is rejected with ClientDisconnected if its client has left or leaves. */
  add(read: PooledRead): void {
    this.#waiting.push(...this.#waitingFor(read));
  }

  /** Adds a read that was taken out and not made, before all others, but behind those that were put back before. */
  requeue(read: PooledRead): void {
    const others = this.#waiting.findIndex(({ isPutBack }) => !isPutBack);
    this.#waiting.splice(others === -1 ? this.#waiting.length : others, 0, ...this.#waitingFor(read, true));
  }

  /**
   * Takes out what a reader makes next.
   * @param shortMax how many short reads it may be given; with 0, it makes one of the others
   * @returns short reads, or one other, or none
   */
  next(shortMax: number): PooledRead[] {
    const next = this.#next(shortMax === 0 ? this.#waiting.filter(({ isShort }) => !isShort) : this.#waiting);
    if (next === undefined) return [];
    this.#wasNextPart = next.isNextPart;
    return next.isShort ? this.#takeShort(shortMax) : this.#takeOut([next]);
  }

  /** Takes out short reads for a reader that still has some, unless it is the turn of another one. */
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

  /** @returns nothing when the client has already left */
  #waitingFor(read: PooledRead, isPutBack = false): Waiting[] {
    const disconnected = read.client?.disconnected;
    if (disconnected?.aborted) {
      read.reject(new ClientDisconnected());
      return [];
    }
    const onLeave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      read.reject(new ClientDisconnected());
    };
    const isNextPart = typeof read.wanted !== "function" && read.wanted.head !== undefined;
    const waiting = { read, isNextPart, isShort: isShort(read), isPutBack, disconnected, onLeave };
    disconnected?.addEventListener("abort", onLeave, { once: true });
    return [waiting];
  }

  #takeOut(taken: readonly Waiting[]): PooledRead[] {
    const gone = new Set(taken);
    this.#waiting = this.#waiting.filter((waiting) => !gone.has(waiting));
    for (const { disconnected, onLeave } of taken) disconnected?.removeEventListener("abort", onLeave);
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
