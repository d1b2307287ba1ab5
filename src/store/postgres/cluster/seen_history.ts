import type { CountedState } from "../tables/state.ts";

/**
 * The last turn that this server has seen of the store, be it that it has answered a write or a read with it, or has only
 * read it itself. A database without that turn is not the one on which the server has worked.
 */
export class SeenHistory {
  #last: CountedState | undefined;
  #timeline = "";

  /** The timeline on which this server works; empty before the first. */
  get timeline(): string {
    return this.#timeline;
  }

  get last(): CountedState | undefined {
    return this.#last;
  }

  saw(state: CountedState): void {
    if (this.#last === undefined || state.turn.number > this.#last.turn.number) this.#last = state;
  }

  /** What was seen before on another timeline is part of this history, or of one with another store ID. */
  beginOn(timeline: string, state: CountedState): void {
    this.#timeline = timeline;
    this.#last = state;
  }
}
