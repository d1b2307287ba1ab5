/** Limits on the work for one chunk, so that its reader is soon free for others, whatever a query costs. */
export interface ChunkWork {
  /** A chunk ends at the first step of its search after this time. */
  readonly millisecondsMax: number;
  /** A chunk does not end before it has done so much work: a slow machine must not make endless chunks. */
  readonly workMin: number;
  /** After this time, any work is enough: with a cold disk, a step may take a hundred times longer than usual. */
  readonly slowMillisecondsMax: number;
}

/** The work that was done for a chunk. */
export class WorkDone {
  readonly #limits: ChunkWork;
  readonly #begun = performance.now();
  #work = 0;

  constructor(limits: ChunkWork) {
    this.#limits = limits;
  }

  /**
   * @param work that of a step, in the unit of `workMin`
   * @returns whether the chunk has taken long enough
   */
  isEnoughAfter(work: number): boolean {
    const { millisecondsMax, workMin, slowMillisecondsMax } = this.#limits;
    this.#work += work;
    const taken = performance.now() - this.#begun;
    return taken >= slowMillisecondsMax || (taken >= millisecondsMax && this.#work >= workMin);
  }
}
