import { ClientDisconnected } from "../../model/errors.ts";
import type { Client } from "../api/store.ts";

export interface QueuedRead {
  /** Without a client, the read is always executed. */
  readonly client?: Client | undefined;
  /** Goes before all others. */
  readonly isUrgent?: boolean | undefined;
  readonly reject: (error: Error) => void;
}

export interface ReadKind {
  /** True when the read continues a page. */
  readonly isNextPart: boolean;
  /** True when it may be executed together with other short reads. */
  readonly isShort: boolean;
}

interface Waiting<R> extends ReadKind {
  readonly read: R;
  readonly isRequeued: boolean;
  /** Aborts when the read is no longer wanted. */
  readonly disconnected: AbortSignal | undefined;
  readonly onDisconnect: () => void;
}

/**
 * Reads that wait for a reader. The next parts of long pages alternate with all other reads when both wait. Short
 * reads are taken several at a time: waking a reader is as much work as such a read.
 */
export class QueuedReads<R extends QueuedRead> {
  readonly #kindOf: (read: R) => ReadKind;
  #waiting: Waiting<R>[] = [];
  #wasNextPart = false;

  constructor(kindOf: (read: R) => ReadKind) {
    this.#kindOf = kindOf;
  }

  get count(): number {
    return this.#waiting.length;
  }

  /** True when any of them is not short. */
  get hasOthers(): boolean {
    return this.#waiting.some(({ isShort }) => !isShort);
  }

  /** Adds a read. It is rejected with ClientDisconnected if its client has disconnected or does so later. */
  add(read: R): void {
    this.#waiting.push(...this.#waitingFor(read));
  }

  /**
   * Adds a read that was taken out and not executed, before all others, but behind those that were requeued before.
   */
  requeue(read: R): void {
    const others = this.#waiting.findIndex(({ isRequeued }) => !isRequeued);
    this.#waiting.splice(others === -1 ? this.#waiting.length : others, 0, ...this.#waitingFor(read, true));
  }

  /**
   * Takes out the reads that a reader executes next.
   * @param shortMax how many short reads it may be given; with 0, it executes one of the others
   * @returns short reads, or one other, or none
   */
  next(shortMax: number): R[] {
    const next = this.#next(shortMax === 0 ? this.#waiting.filter(({ isShort }) => !isShort) : this.#waiting);
    if (next === undefined) return [];
    this.#wasNextPart = next.isNextPart;
    return next.isShort ? this.#takeShort(shortMax) : this.#takeOut([next]);
  }

  /** Takes out short reads for a reader that still has some. Takes none when another read is next. */
  nextShort(shortMax: number): R[] {
    return this.#next(this.#waiting)?.isShort === true ? this.#takeShort(shortMax) : [];
  }

  rejectAll(error: Error): void {
    for (const read of this.#takeOut(this.#waiting)) read.reject(error);
  }

  #next(waiting: readonly Waiting<R>[]): Waiting<R> | undefined {
    return waiting.find(({ read }) => read.isUrgent) ??
      waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart) ?? waiting[0];
  }

  #takeShort(shortMax: number): R[] {
    return this.#takeOut(this.#waiting.filter(({ isShort }) => isShort).slice(0, shortMax));
  }

  /** @returns nothing when the client has already disconnected */
  #waitingFor(read: R, isRequeued = false): Waiting<R>[] {
    const disconnected = read.client?.disconnected;
    if (disconnected?.aborted) {
      read.reject(new ClientDisconnected());
      return [];
    }
    const onDisconnect = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      read.reject(new ClientDisconnected());
    };
    const waiting: Waiting<R> = { ...this.#kindOf(read), read, isRequeued, disconnected, onDisconnect };
    disconnected?.addEventListener("abort", onDisconnect, { once: true });
    return [waiting];
  }

  #takeOut(taken: readonly Waiting<R>[]): R[] {
    const gone = new Set(taken);
    this.#waiting = this.#waiting.filter((waiting) => !gone.has(waiting));
    for (const { disconnected, onDisconnect } of taken) {
      disconnected?.removeEventListener("abort", onDisconnect);
    }
    return taken.map(({ read }) => read);
  }
}
