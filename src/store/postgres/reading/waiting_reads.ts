import { ClientDisconnected } from "../../../model/errors.ts";
import type { Client } from "../../store.ts";
import type { Session } from "../protocol/session.ts";

interface WaitingRead extends PromiseWithResolvers<Session> {
  readonly isUrgent: boolean;
  readonly isNextPart: boolean;
  /** Stops listening for the client's disconnect. */
  readonly leave: () => void;
}

/** Reads that wait for a connection. When both kinds wait, the next parts of long pages and other reads alternate. */
export class WaitingReads {
  #waiting: WaitingRead[] = [];
  #wasNextPart = false;

  get count(): number {
    return this.#waiting.length;
  }

  /** @throws ClientDisconnected when the client disconnects first */
  add(client: Client | undefined, isUrgent: boolean, isNextPart: boolean): Promise<Session> {
    const { promise, resolve, reject } = Promise.withResolvers<Session>();
    const left = client?.disconnected;
    const onLeave = (): void => {
      this.#waiting = this.#waiting.filter((other) => other !== waiting);
      reject(new ClientDisconnected());
    };
    const leave = (): void => left?.removeEventListener("abort", onLeave);
    const waiting: WaitingRead = { promise, resolve, reject, isUrgent, isNextPart, leave };
    left?.addEventListener("abort", onLeave, { once: true });
    this.#waiting.push(waiting);
    return promise;
  }

  /** Removes and returns the read to serve next. */
  next(): WaitingRead | undefined {
    const next = this.#waiting.find(({ isUrgent }) => isUrgent) ??
      this.#waiting.find(({ isNextPart }) => isNextPart !== this.#wasNextPart) ?? this.#waiting[0];
    if (next === undefined) return undefined;
    this.#wasNextPart = next.isNextPart;
    this.#waiting = this.#waiting.filter((other) => other !== next);
    next.leave();
    return next;
  }

  rejectAll(error: Error): void {
    for (const { leave, reject } of this.#waiting.splice(0)) {
      leave();
      reject(error);
    }
  }
}
