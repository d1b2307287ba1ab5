import { delay } from "../../time/delay.ts";

/** How long work may continue before it lets signals in. */
const WORK_MILLISECONDS_MAX = 100;

/**
 * Lets signals in during work that never awaits: while it runs, the process receives none. Call `pass` often; from
 * time to time it takes a moment.
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
