/** Counts the reads of clients in flight, including those that wait, for a reader or for an event. */
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
