import type { ReadRequest } from "../../model/read_request.ts";
import type { FilterTerms } from "./filter_terms.ts";

/** The request of a waiting read: it waits for the first event that matches. */
export interface SubscriptionFilter
  extends Pick<ReadRequest, "query" | "afterSequence" | "beforeSequence" | "time"> {
  /** The query in index terms. */
  readonly terms: FilterTerms;
}

/**
 * Why a subscription has ended. "arrived": a matching event was committed, or the last one that could match. "reset":
 * the store was reset. "over": the time is up.
 */
export type SubscriptionEnd = "arrived" | "reset" | "over";

/** Waits for an event. It ends once, with the first cause, and its creator disposes of it. */
export class Subscription implements Disposable {
  readonly filter: SubscriptionFilter;
  readonly #ended = Promise.withResolvers<SubscriptionEnd>();
  readonly #onEnd: (subscription: Subscription) => void;
  #isEnded = false;

  /** @param onEnd called once, at its end */
  constructor(filter: SubscriptionFilter, onEnd: (subscription: Subscription) => void) {
    this.filter = filter;
    this.#onEnd = onEnd;
  }

  get ended(): Promise<SubscriptionEnd> {
    return this.#ended.promise;
  }

  end(why: SubscriptionEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd(this);
    this.#ended.resolve(why);
  }

  [Symbol.dispose](): void {
    this.end("over");
  }
}
