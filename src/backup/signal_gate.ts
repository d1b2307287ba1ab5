/** How long work may go on before it lets signals in. */
const WORK_MILLISECONDS_MAX = 100;

/**
 * Lets signals into work that doesn't wait for anything: as long as it runs, the process hears none. To be passed
 * often; now and then it takes a moment.
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
    await new Promise((resolve) => setTimeout(resolve));
    this.stopped.throwIfAborted();
    this.#passed = performance.now();
  }
}
