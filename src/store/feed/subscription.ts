import type { ReadRequest } from "../../model/read_request.ts";
import type { FilterTerms } from "./filter_terms.ts";

/** What a waiting read looks for: the first event that matches. */
export interface SubscriptionFilter
  extends Pick<ReadRequest, "query" | "afterSequence" | "beforeSequence" | "time"> {
  /** The query in index terms. */
  readonly terms: FilterTerms;
}

/**
 * Why a watch has ended: an event arrived that matches, or the last one that could; the store was reset; or it has been
 * long enough.
 */
export type SubscriptionEnd = "arrived" | "reset" | "over";

/** Waits for an event. It ends once, for whatever comes first, and whoever began it disposes of it. */
export class Subscription implements Disposable {
  readonly filter: SubscriptionFilter;
  readonly #ended = Promise.withResolvers<SubscriptionEnd>();
  readonly #onEnd: (watch: Subscription) => void;
  #isEnded = false;

  /** @param onEnd called once, at its end */
  constructor(watched: SubscriptionFilter, onEnd: (watch: Subscription) => void) {
    this.filter = watched;
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
