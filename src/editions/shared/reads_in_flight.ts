/** Counts the reads of clients in flight, including those that are waiting for a reader. */
export class ReadsInFlight {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts one read until what it returns is disposed of, once. */
  begin(): Disposable {
    this.#count++;
    return { [Symbol.dispose]: () => void this.#count-- };
  }
}
