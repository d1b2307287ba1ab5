import { delay } from "../../async/delay.ts";

/** How long work may continue before it lets signals in. */
const WORK_MILLISECONDS_MAX = 100;

/**
 * Lets a process receive signals during work that never awaits; otherwise it receives none. Call `pass` often. It
 * pauses the work for a moment from time to time.
 */
export class SignalGate {
  readonly stopped: AbortSignal;
  #passed = performance.now();

  constructor(stopped: AbortSignal) {
    this.stopped = stopped;
  }

  /** @throws the reason of the stop */
  async pass(): Promise<void> {
    if (performance.now() - this.#passed < WORK_MILLISECONDS_MAX) return;
    await delay(0);
    this.stopped.throwIfAborted();
    this.#passed = performance.now();
  }
}
