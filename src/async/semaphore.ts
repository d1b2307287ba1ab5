/** Semaphore admits a limited number at once. The others wait in the order in which they came. */
export class Semaphore {
  #free: number;
  readonly #waiting: (() => void)[] = [];

  constructor(atOnce: number) {
    this.#free = atOnce;
  }

  /** True if the next caller has to wait. */
  get isFull(): boolean {
    return this.#free === 0;
  }

  /**
   * Resolves when the caller is admitted.
   * @param first is admitted before the callers that are waiting
   * @returns the function by which the caller leaves again; only its first call counts
   */
  async enter({ first }: { first: boolean } = { first: false }): Promise<() => void> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(first);
    let hasLeft = false;
    return () => {
      if (hasLeft) return;
      hasLeft = true;
      this.#leave();
    };
  }

  /** Runs an async function while it is admitted: at once if it does not have to wait. */
  async pass<T>(run: () => Promise<T>): Promise<T> {
    if (this.#free > 0) this.#free--;
    else await this.#turn(false);
    try {
      return await run();
    } finally {
      this.#leave();
    }
  }

  #turn(first: boolean): Promise<void> {
    const { promise, resolve } = Promise.withResolvers<void>();
    if (first) this.#waiting.unshift(resolve);
    else this.#waiting.push(resolve);
    return promise;
  }

  #leave(): void {
    const next = this.#waiting.shift();
    // The admission passes directly to the next caller: no other caller can take it in between.
    if (next === undefined) this.#free++;
    else next();
  }
}
