import type { Arrivals } from "../../store/arrivals/arrivals.ts";

/** Counts the reads of clients in flight, including those that wait, for a reader or for an event. */
export class ReadsInFlight {
  #count = 0;
  readonly #arrivals: Pick<Arrivals, "watching">;

  constructor(arrivals: Pick<Arrivals, "watching">) {
    this.#arrivals = arrivals;
  }

  get count(): number {
    return this.#count;
  }

  /** Those among them that wait for an event. */
  get waiting(): number {
    return this.#arrivals.watching;
  }

  /** Counts one read until what it returns is disposed of, once. */
  begin(): Disposable {
    this.#count++;
    return { [Symbol.dispose]: () => void this.#count-- };
  }
}
