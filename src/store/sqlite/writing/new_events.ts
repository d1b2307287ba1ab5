import type { PreparedEvent } from "../../core/prepare_event.ts";
import type { Database } from "../connection/database.ts";
import { appendEvents } from "../tables/events.ts";

/**
 * The events of the open transaction. They are appended together, at its end or before a search that may find one of
 * them. For many events, that takes half the time.
 */
export class NewEvents {
  readonly #db: Database;
  #appendedUpTo: number;
  #waiting: PreparedEvent[] = [];

  /** @param head the sequence before the first of them */
  constructor(db: Database, head: number) {
    this.#db = db;
    this.#appendedUpTo = head;
  }

  /** The sequence of the last event that a search can find. */
  get appendedUpTo(): number {
    return this.#appendedUpTo;
  }

  add(events: readonly PreparedEvent[]): void {
    for (const event of events) this.#waiting.push(event);
  }

  append(): void {
    if (this.#waiting.length === 0) return;
    appendEvents(this.#db, this.#appendedUpTo, this.#waiting);
    this.#appendedUpTo += this.#waiting.length;
    this.#waiting = [];
  }
}
