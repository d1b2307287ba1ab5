/** Lets in one at a time, in order of arrival. */
export class OneAtATime {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  /** Whether whoever comes now has to wait. */
  get busy(): boolean {
    return this.#busy;
  }

  /**
   * Resolves when nobody else is inside.
   * @param first go before those that wait
   * @returns what to call when leaving
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
      // Whoever waits comes in without a moment in which the place looks free.
      if (next === undefined) this.#busy = false;
      else next();
    };
  }
}
