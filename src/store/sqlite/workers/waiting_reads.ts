import { ClientLeft } from "../../../model/errors.ts";
import type { Client } from "../../store.ts";

export interface ReadOptions {
  /** Without one, the read is made whether or not anybody is left. */
  readonly client?: Client | undefined;
  /** Before all others, and however many wait. */
  readonly isUrgent?: boolean;
  /** It continues a page. */
  readonly isNextPart?: boolean;
}

/** A read that waits for a reader. */
interface Waiting<R> extends PromiseWithResolvers<R> {
  /** Aborts when the read is no longer wanted. */
  readonly left: AbortSignal | undefined;
  readonly isUrgent: boolean;
  readonly isNextPart: boolean;
  readonly onLeave: () => void;
}

/** Reads that wait for a reader. The next parts of long pages and all other reads take turns when both wait. */
export class WaitingReads<R> {
  #waiting: Waiting<R>[] = [];
  #wasNextPart = false;

  get count(): number {
    return this.#waiting.length;
  }

  /** Waits for a turn. @throws ClientLeft when the client has left, also later */
  add({ client, isUrgent = false, isNextPart = false }: ReadOptions): Promise<R> {
    const left = client?.left;
    if (left?.aborted) throw new ClientLeft();
    const onLeave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      waiting.reject(new ClientLeft());
    };
    const waiting = { left, onLeave, isUrgent, isNextPart, ...Promise.withResolvers<R>() };
    left?.addEventListener("abort", onLeave, { once: true });
    this.#waiting.push(waiting);
    return waiting.promise;
  }

  /** Takes out the read whose turn it is. */
  next(): PromiseWithResolvers<R> | undefined {
    const preferred = this.#waiting.find(({ isUrgent }) => isUrgent) ??
      this.#waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart);
    const next = preferred ?? this.#waiting[0];
    if (next === undefined) return undefined;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    this.#wasNextPart = next.isNextPart;
    next.left?.removeEventListener("abort", next.onLeave);
    return next;
  }

  refuseAll(error: Error): void {
    for (let next = this.next(); next !== undefined; next = this.next()) next.reject(error);
  }
}
