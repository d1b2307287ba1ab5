import { EventStore } from "../../client/mod.ts";
import { eventually } from "../../tests/support/eventually.ts";
import type { Address } from "../../tests/support/connection.ts";
import { AuditFailure } from "../report.ts";
import type { EditionName } from "../../src/config/setting.ts";

/** Longer than a server needs to restart on a busy machine. */
const RETRY_SECONDS = 300;

/** Follows a store with the client library of the project, through every restart of the server. */
export class Follower {
  readonly #leaving = new AbortController();
  readonly #following: Promise<void>;
  #failure: unknown;
  #count = 0;
  #position = 0;
  #last = 0;

  /** @param types the event types to follow; an empty list means all */
  constructor(edition: EditionName, address: Address, types: readonly string[]) {
    if (address.transport !== "unix") throw new Error("the follower takes a unix socket");
    const store = new EventStore({
      socketPath: address.path,
      edition,
      payload: "text",
      retrySeconds: RETRY_SECONDS,
    });
    this.#following = this.#follow(store, types);
    this.#following.catch((error) => this.#failure ??= error);
  }

  /** The number of events received. */
  get count(): number {
    return this.#count;
  }

  /** @throws AuditFailure when an event came twice, out of order, or not at all */
  assertWorking(): void {
    if (this.#failure !== undefined) throw new AuditFailure("a follower", [String(this.#failure)]);
  }

  /** Waits until the follower has reached the head of the store, with this number of events. */
  async arrive(head: number, count: number): Promise<void> {
    await eventually(() => {
      this.assertWorking();
      if (this.#position >= head && this.#count === count) return;
      throw new AuditFailure("a follower", [
        `it has come to ${this.#position} of ${head}, with ${this.#count} of ${count} events`,
      ]);
    }, RETRY_SECONDS);
  }

  async leave(): Promise<void> {
    this.#leaving.abort();
    await this.#following.catch(() => {});
  }

  async #follow(store: EventStore, types: readonly string[]): Promise<void> {
    const query = types.length === 0 ? "*" : { types };
    const options = { waitSeconds: 5, signal: this.#leaving.signal };
    for await (const { events, checkpoint } of store.follow(query, options)) {
      for (const { sequence } of events) {
        const isNext = types.length === 0 ? sequence === this.#last + 1 : sequence > this.#last;
        if (!isNext) throw new Error(`event ${sequence} came after ${this.#last}`);
        this.#last = sequence;
        this.#count++;
      }
      this.#position = checkpoint.sequence;
    }
  }
}
