/** Limits on the work for one chunk, so that a reader is soon free for others, whatever a query costs. */
export interface ChunkWork {
  /** A chunk ends at the first step of its search after this time. */
  readonly millisecondsMax: number;
  /**
   * A chunk does not end before it has done work that should take this long: a slow machine must not make endless
   * chunks.
   */
  readonly microsecondsMin: number;
  /** After this time, any step is enough: with a cold disk, a step may take a hundred times longer than estimated. */
  readonly slowMillisecondsMax: number;
}

export const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, microsecondsMin: 5000, slowMillisecondsMax: 250 };

/** The work that was done for a chunk. */
export class WorkDone {
  readonly #work: ChunkWork;
  readonly #begun = performance.now();
  #microseconds = 0;

  constructor(work: ChunkWork) {
    this.#work = work;
  }

  /**
   * @param microseconds the estimated time of a step
   * @returns whether the chunk has taken long enough
   */
  isEnoughAfter(microseconds: number): boolean {
    const { millisecondsMax, microsecondsMin, slowMillisecondsMax } = this.#work;
    this.#microseconds += microseconds;
    const taken = performance.now() - this.#begun;
    return taken >= slowMillisecondsMax ||
      (taken >= millisecondsMax && this.#microseconds >= microsecondsMin);
  }
}
