import type { ReadRequest } from "../../model/read_request.ts";
import type { WatchedTerms } from "./watched_terms.ts";

/** What a waiting read looks for: the first event that matches. */
export interface Watched extends Pick<ReadRequest, "query" | "afterSequence" | "beforeSequence" | "time"> {
  /** The query in index terms. */
  readonly terms: WatchedTerms;
}

/**
 * Why a watch has ended: an event arrived that matches, or the last one that could; the store was reset; or it has been
 * long enough.
 */
export type WatchEnd = "arrived" | "reset" | "over";

/** Waits for an event. It ends once, for whatever comes first, and whoever began it disposes of it. */
export class Watch implements Disposable {
  readonly watched: Watched;
  readonly #ended = Promise.withResolvers<WatchEnd>();
  readonly #onEnd: (watch: Watch) => void;
  #isEnded = false;

  /** @param onEnd called once, at its end */
  constructor(watched: Watched, onEnd: (watch: Watch) => void) {
    this.watched = watched;
    this.#onEnd = onEnd;
  }

  get ended(): Promise<WatchEnd> {
    return this.#ended.promise;
  }

  end(why: WatchEnd): void {
    if (this.#isEnded) return;
    this.#isEnded = true;
    this.#onEnd(this);
    this.#ended.resolve(why);
  }

  [Symbol.dispose](): void {
    this.end("over");
  }
}
