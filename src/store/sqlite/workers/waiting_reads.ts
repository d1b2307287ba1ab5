import { ClientLeft } from "../../../model/errors.ts";
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

/** Longer queries are handed over one by one: many of them at once would hold the main thread for long. */
const VALUES_MAX = 100;
const UNITS_MAX = 4096;

interface Waiting {
  readonly read: PooledRead;
  /** Whether it continues a page. */
  readonly isNextPart: boolean;
  /** Whether it may be made together with others. */
  readonly isShort: boolean;
  /** Aborts when the read is no longer wanted. */
  readonly left: AbortSignal | undefined;
  readonly onLeave: () => void;
}

/**
 * Reads that wait for a reader. The next parts of long pages and all other reads take turns when both wait. First
 * parts, most of which are short, are taken several at a time: to wake up a reader is as much work as such a read.
 */
export class WaitingReads {
  #waiting: Waiting[] = [];
  #wasNextPart = false;

  get count(): number {
    return this.#waiting.length;
  }

  /** Adds a read, which is rejected with ClientLeft if its client has left or leaves. */
  add(read: PooledRead): void {
    this.#waiting.push(...this.#waitingFor(read));
  }

  /** Adds reads that were taken out and not made, before all others. */
  putBack(reads: readonly PooledRead[]): void {
    if (reads.length > 0) this.#waiting.unshift(...reads.flatMap((read) => this.#waitingFor(read)));
  }

  /**
   * Takes out what a reader makes next.
   * @param readers among which reads that are made together are shared
   * @returns one read, or several chunks, or none
   */
  next(readers: number): PooledRead[] {
    const next = this.#waiting.find(({ read }) => read.isUrgent) ??
      this.#waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart) ?? this.#waiting[0];
    if (next === undefined) return [];
    this.#wasNextPart = next.isNextPart;
    if (!next.isShort) return this.#takeOut([next]);
    const short = this.#waiting.filter(({ isShort }) => isShort);
    return this.#takeOut(short.slice(0, Math.ceil(short.length / readers)));
  }

  refuseAll(error: Error): void {
    for (const read of this.#takeOut(this.#waiting)) read.reject(error);
  }

  /** @returns nothing when the client has already left */
  #waitingFor(read: PooledRead): Waiting[] {
    const left = read.client?.left;
    if (left?.aborted) {
      read.reject(new ClientLeft());
      return [];
    }
    const onLeave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      read.reject(new ClientLeft());
    };
    const chunk = typeof read.wanted === "function" ? undefined : read.wanted;
    const isNextPart = chunk?.head !== undefined;
    const isShort = chunk !== undefined && !isNextPart && !read.isUrgent && !read.isAlone &&
      isShortQuery(chunk.query);
    const waiting = { read, isNextPart, isShort, left, onLeave };
    left?.addEventListener("abort", onLeave, { once: true });
    return [waiting];
  }

  #takeOut(taken: readonly Waiting[]): PooledRead[] {
    const gone = new Set(taken);
    this.#waiting = this.#waiting.filter((waiting) => !gone.has(waiting));
    for (const { left, onLeave } of taken) left?.removeEventListener("abort", onLeave);
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
