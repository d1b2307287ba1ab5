/** Counts the reads that clients have under way, those that still wait for a reader included. */
export class ReadsInFlight {
  #count = 0;

  get count(): number {
    return this.#count;
  }

  /** Counts one read until the function that it returns is called. */
  begin(): () => void {
    this.#count++;
    let ended = false;
    return () => {
      if (!ended) this.#count--;
      ended = true;
    };
  }
}
