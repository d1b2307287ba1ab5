/** How much may be done for one chunk, so that a reader is soon free for others, whatever a query costs. */
export interface ChunkWork {
  /** A chunk ends at the first step of its search after this time. */
  readonly millisecondsMax: number;
  /** But not before it has done what should take this long: a slow machine must not make endless chunks. */
  readonly microsecondsMin: number;
  /** After this time, any step is enough: with a cold disk, one may take a hundred times longer than it should. */
  readonly slowMillisecondsMax: number;
}

export const CHUNK_WORK: ChunkWork = { millisecondsMax: 25, microsecondsMin: 5000, slowMillisecondsMax: 250 };

/** What has been done for a chunk. */
export class WorkDone {
  readonly #work: ChunkWork;
  readonly #begun = performance.now();
  #microseconds = 0;

  constructor(work: ChunkWork) {
    this.#work = work;
  }

  /** @param microseconds what a step should take @returns whether the chunk has taken long enough */
  isEnoughAfter(microseconds: number): boolean {
    const { millisecondsMax, microsecondsMin, slowMillisecondsMax } = this.#work;
    this.#microseconds += microseconds;
    const taken = performance.now() - this.#begun;
    return taken >= slowMillisecondsMax ||
      (taken >= millisecondsMax && this.#microseconds >= microsecondsMin);
  }
}
