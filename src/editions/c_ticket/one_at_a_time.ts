/** A lock: one holder at a time, in the order of the calls. */
export class OneAtATime {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  /** True if the next caller has to wait. */
  get busy(): boolean {
    return this.#busy;
  }

  /**
   * Resolves when the lock is free for the caller.
   * @param first enter before the callers that are waiting
   * @returns the function that releases the lock
   */
  async enter({ first }: { first: boolean } = { first: false }): Promise<() => void> {
    if (this.#busy) {
      const { promise, resolve } = Promise.withResolvers<void>();
      if (first) this.#waiting.unshift(resolve);
      else this.#waiting.push(resolve);
      await promise;
    }
    this.#busy = true;
    return () => {
      const next = this.#waiting.shift();
      // The lock passes directly to the next caller and never looks free in between.
      if (next === undefined) this.#busy = false;
      else next();
    };
  }
}
