export type PauseState = "normal" | "pauseRequested" | "paused";

/** The pause of the store: requested while transactions are open, in effect once none is open. */
export class Pause {
  #state: PauseState;
  #sinceMicros: number;

  /** @param pausedSinceMicros when the pause began, if the store was paused when it was closed */
  constructor(pausedSinceMicros: number | undefined, nowMicros: number) {
    this.#state = pausedSinceMicros === undefined ? "normal" : "paused";
    this.#sinceMicros = pausedSinceMicros ?? nowMicros;
  }

  get state(): PauseState {
    return this.#state;
  }

  /** The time of the last state change, in microseconds since 1970. */
  get sinceMicros(): number {
    return this.#sinceMicros;
  }

  enter(state: PauseState, nowMicros: number): void {
    if (state === this.#state) return;
    this.#state = state;
    this.#sinceMicros = nowMicros;
  }
}
