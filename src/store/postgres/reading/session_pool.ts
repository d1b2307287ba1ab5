import { ApiError, ClientDisconnected } from "../../../model/errors.ts";
import type { Client } from "../../api/store.ts";
import { type QueuedRead, QueuedReads } from "../../core/queued_reads.ts";
import type { Session } from "../protocol/session.ts";
import type { SessionSource } from "./session_source.ts";

/** Reads that may wait for a connection; one more is rejected. */
const WAITING_MAX = 1000;

/** Prefetching for a single page opens at most this many connections. */
const FOR_ONE_PAGE = 2;

interface SessionRead extends QueuedRead, PromiseWithResolvers<Session> {
  readonly isNextPart: boolean;
  readonly reject: (error: Error) => void;
}

/** The read that a connection is for. */
export interface SessionOptions {
  readonly client?: Client | undefined;
  readonly isUrgent?: boolean;
  /** True when the read continues a page. */
  readonly isNextPart?: boolean;
}

/** Connections for reads, opened on demand. Each runs one short read at a time. */
export class SessionPool {
  readonly max: number;
  readonly #source: SessionSource;
  readonly #waiting = new QueuedReads<SessionRead>(({ isNextPart }) => ({ isNextPart, isShort: false }));
  readonly #idle: Session[] = [];
  readonly #busy = new Set<Session>();
  #opening = 0;
  #isClosed = false;

  constructor(source: SessionSource, max: number) {
    this.#source = source;
    this.max = max;
  }

  get inUse(): number {
    return this.#busy.size;
  }

  /** True when a connection is available for prefetching a chunk. */
  get hasForPrefetch(): boolean {
    this.#dropEnded();
    const mayOpen = this.#waiting.count === 0 && this.#opening + this.#busy.size < FOR_ONE_PAGE;
    return this.#idle.length > 0 || (mayOpen && FOR_ONE_PAGE <= this.max);
  }

  /** Closes all connections, also those in use. Reads that wait for one fail, and so do later ones. */
  async close(): Promise<void> {
    this.#isClosed = true;
    this.#waiting.rejectAll(closed());
    await Promise.all([...this.#idle, ...this.#busy].map((session) => session.close()));
  }

  /**
   * Waits for a connection, which the caller must release.
   * @throws ApiError `Unavailable` when too many reads wait, or PostgreSQL cannot be reached
   */
  async session({ client, isUrgent = false, isNextPart = false }: SessionOptions): Promise<Session> {
    this.#dropEnded();
    const idle = this.#idle.pop();
    if (idle !== undefined) {
      this.#busy.add(idle);
      return idle;
    }
    if (client?.disconnected.aborted) throw new ClientDisconnected();
    // A client may still read a page of a server that has been replaced.
    if (this.#isClosed) throw closed();
    if (this.#waiting.count >= WAITING_MAX && !isUrgent) {
      throw new ApiError("Unavailable", "too many reads are waiting for a connection");
    }
    const waiting = { client, isUrgent, isNextPart, ...Promise.withResolvers<Session>() };
    this.#waiting.add(waiting);
    this.#openForWaiting();
    return await waiting.promise;
  }

  /** Call it after the read, also when the connection was lost. */
  release(session: Session): void {
    this.#busy.delete(session);
    if (!session.isOpen) return void this.#openForWaiting();
    if (this.#isClosed) return void session.close();
    const [next] = this.#waiting.next(0);
    if (next === undefined) return void this.#idle.push(session);
    this.#busy.add(session);
    next.resolve(session);
  }

  async #openForWaiting(): Promise<void> {
    const isEnough = this.#opening >= this.#waiting.count ||
      this.#opening + this.#busy.size + this.#idle.length >= this.max;
    if (isEnough || this.#isClosed) return;
    this.#opening++;
    try {
      const session = await this.#source.open();
      this.#opening--;
      this.release(session);
    } catch (error) {
      this.#opening--;
      // Without any connection, no release would ever serve the waiting reads.
      if (this.#busy.size + this.#idle.length > 0) return;
      this.#waiting.rejectAll(new ApiError("Unavailable", (error as Error).message));
    }
  }

  #dropEnded(): void {
    for (let i = this.#idle.length - 1; i >= 0; i--) {
      const session = this.#idle[i]!;
      if (session.isOpen && this.#source.isGood(session)) continue;
      this.#idle.splice(i, 1);
      session.close();
    }
  }
}

function closed(): ApiError {
  return new ApiError("Unavailable", "the store was closed");
}
