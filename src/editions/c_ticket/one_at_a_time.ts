/** Lets in one at a time, in order of arrival. */
export class OneAtATime {
  #busy = false;
  readonly #waiting: (() => void)[] = [];

  /** Whether a newcomer has to wait. */
  get busy(): boolean {
    return this.#busy;
  }

  /**
   * Resolves when no one else is inside.
   * @param first enter before those that are waiting
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
      // The place is passed on directly and never looks free in between.
      if (next === undefined) this.#busy = false;
      else next();
    };
  }
}
