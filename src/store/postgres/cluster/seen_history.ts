import type { CountedState } from "../tables/state.ts";

/**
 * The last write transaction that this server has seen. It has answered a write or a read with it, or has only read
 * it. A database without that transaction is not the one on which this server has worked.
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

  /** Begins another timeline. Everything seen before is part of this history, or of one with another store ID. */
  beginOn(timeline: string, state: CountedState): void {
    this.#timeline = timeline;
    this.#last = state;
  }
}
