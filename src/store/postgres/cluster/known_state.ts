import type { CommitFeed, CommittedEvent } from "../../feed/commit_feed.ts";
import type { CountedState } from "../tables/state.ts";

/**
 * The state of the store as last reported to waiting clients. This server learns of it from its own write
 * transactions and from those of other servers. Several connections deliver states in any order, so an older state
 * than the reported one is ignored.
 */
export class KnownState {
  readonly #feed: CommitFeed;
  #turns: number;

  /** @param turns the number of the last write transaction */
  constructor(turns: number, feed: CommitFeed) {
    this.#turns = turns;
    this.#feed = feed;
  }

  /** True while a client waits for events. */
  get isAwaited(): boolean {
    return this.#feed.subscriptions > 0;
  }

  get head(): number {
    return this.#feed.state.head;
  }

  /** Records a write transaction of this server. `ObservedWriter` reports its events. */
  ownTransaction({ storeId, head, turn }: CountedState): void {
    if (storeId !== this.#feed.state.storeId) this.update({ storeId, head, turn });
    this.#turns = Math.max(this.#turns, turn.number);
  }

  /**
   * Reports the state of the store after commits of other servers.
   * @param events begin with `firstSequence`; the list may be incomplete
   */
  update(state: CountedState, firstSequence: number = 1, events: readonly CommittedEvent[] = []): void {
    if (state.turn.number <= this.#turns) return;
    this.#turns = state.turn.number;
    const reported = this.#feed.state;
    if (state.storeId !== reported.storeId) {
      this.#feed.reset(state.storeId);
      if (state.head > 0) this.#feed.committedMany(state.head);
    } else if (state.head > reported.head) {
      const isComplete = firstSequence <= reported.head + 1 &&
        firstSequence + events.length === state.head + 1;
      if (isComplete) this.#feed.committed(firstSequence, events);
      else this.#feed.committedMany(state.head);
    }
  }
}
