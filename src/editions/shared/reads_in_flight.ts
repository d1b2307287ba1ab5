/** Counts the reads of clients in flight, including those that are waiting for a reader. */
export class ReadsInFlight {
  #count = 0;
  #waiting = 0;

  get count(): number {
    return this.#count;
  }

  /** Those among them that wait for an event that matches. */
  get waiting(): number {
    return this.#waiting;
  }

  /** Counts one read until what it returns is disposed of, once. */
  begin(): Disposable {
    this.#count++;
    return { [Symbol.dispose]: () => void this.#count-- };
  }

  /** Counts one of them as waiting until what it returns is disposed of, once. */
  beginWait(): Disposable {
    this.#waiting++;
    return { [Symbol.dispose]: () => void this.#waiting-- };
  }
}
