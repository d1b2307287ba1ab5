/* Node warns when more than ten listeners wait for one signal, so many waits do not share one. */

/** The signals that the requests of a consumer use in turns. */
const CONTROLLERS = 64;

/** Ends many waits at once, each of which has a signal of its own. */
export class Signals {
  readonly #controllers = new Set<AbortController>();
  #reason: Error | undefined;

  /** Runs work with a signal. */
  async during<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    const controller = new AbortController();
    if (this.#reason) controller.abort(this.#reason);
    this.#controllers.add(controller);
    try {
      return await work(controller.signal);
    } finally {
      this.#controllers.delete(controller);
    }
  }

  /** Aborts all signals, also those of later work. */
  abort(reason: Error): void {
    this.#reason = reason;
    for (const controller of this.#controllers) controller.abort(reason);
  }

  get aborted(): boolean {
    return this.#reason !== undefined;
  }
}

/** Signals in turns for requests, few of which run at the same time with the same signal. */
export class RequestSignals {
  readonly #controllers = Array.from({ length: CONTROLLERS }, () => new AbortController());
  #next = 0;

  get signal(): AbortSignal {
    this.#next = (this.#next + 1) % CONTROLLERS;
    return this.#controllers[this.#next]!.signal;
  }

  /** Ends all requests. */
  abort(): void {
    for (const controller of this.#controllers) controller.abort();
  }
}
