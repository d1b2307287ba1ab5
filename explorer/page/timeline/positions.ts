/** Finds the positions of times, each once. */
export class Positions {
  /** The newest sequence that the page knows. */
  head = 0;
  readonly #textOf: (path: string) => Promise<string>;
  readonly #known = new Map<number, number>();

  /** @param textOf reads a path of the store */
  constructor(textOf: (path: string) => Promise<string>) {
    this.#textOf = textOf;
  }

  /**
   * Returns the sequence before the first event that is not before a time. Without such an event it is the end of the
   * store.
   * @param time in milliseconds since 1970
   */
  async of(time: number): Promise<number> {
    const known = this.#known.get(time);
    if (known !== undefined) return known;
    const text = await this.#textOf(`/position?time=${new Date(time).toISOString()}`);
    const position: number = JSON.parse(text).afterSequence;
    // At the end of the store, a later event will change it.
    if (position < this.head) this.#known.set(time, position);
    return position;
  }
}
