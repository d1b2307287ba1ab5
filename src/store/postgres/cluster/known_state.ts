import type { CommitFeed, CommittedEvent } from "../../feed/commit_feed.ts";
import type { CountedState } from "../tables/state.ts";

/**
 * What this server has told of the store to those who wait. It learns of it from its own turns and from those of others,
 * on several connections and hence in any order; what is older than what was told already is nothing new.
 */
export class KnownState {
  readonly #feed: Pick<CommitFeed, "state" | "reset" | "committed" | "committedMany">;
  #turns: number;

  /** @param turns the number of the last turn */
  constructor(turns: number, feed: Pick<CommitFeed, "state" | "reset" | "committed" | "committedMany">) {
    this.#turns = turns;
    this.#feed = feed;
  }

  /** Takes note of a turn of this server, whose events are told of by who asked for them. */
  ownTransaction({ storeId, head, turn }: CountedState): void {
    if (storeId !== this.#feed.state.storeId) this.tell({ storeId, head, turn });
    this.#turns = Math.max(this.#turns, turn.number);
  }

  /**
   * Tells of the store as others have left it.
   * @param events those that begin with `firstSequence`, as far as they are known
   */
  tell(state: CountedState, firstSequence: number = 1, events: readonly CommittedEvent[] = []): void {
    if (state.turn.number <= this.#turns) return;
    this.#turns = state.turn.number;
    const told = this.#feed.state;
    if (state.storeId !== told.storeId) {
      this.#feed.reset(state.storeId);
      if (state.head > 0) this.#feed.committedMany(state.head);
    } else if (state.head > told.head) {
      const isComplete = firstSequence <= told.head + 1 && firstSequence + events.length === state.head + 1;
      if (isComplete) this.#feed.committed(firstSequence, events);
      else this.#feed.committedMany(state.head);
    }
  }
}
