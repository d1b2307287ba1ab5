export type PauseState = "normal" | "pauseRequested" | "paused";

/** The pause of the store: requested while transactions are open, in place once none is. */
export class Pause {
  #state: PauseState;
  #sinceMicros: number;

  /** @param pausedSinceMicros since when the store is paused, if a pause was in place when it was closed */
  constructor(pausedSinceMicros: number | undefined, nowMicros: number) {
    this.#state = pausedSinceMicros === undefined ? "normal" : "paused";
    this.#sinceMicros = pausedSinceMicros ?? nowMicros;
  }

  get state(): PauseState {
    return this.#state;
  }

  /** Since when the state holds, in microseconds since 1970. */
  get sinceMicros(): number {
    return this.#sinceMicros;
  }

  enter(state: PauseState, nowMicros: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#sinceMicros = nowMicros;
  }
}
