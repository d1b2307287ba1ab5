/** Limits on the estimated cost of checking conditions inside a write transaction, for one write and for its group. */
const WRITE_MICROSECONDS_MAX = 2000;
const GROUP_MICROSECONDS_MAX = 10_000;

/** The limit for each further write when its group has used up its share: enough for an ordinary search. */
const WRITE_MICROSECONDS_MIN = 300;

/**
 * A step may take this many times longer than estimated, so that a slow machine does not find every condition over
 * budget.
 */
const SLOWNESS_MAX = 5;

/**
 * The cost of a step that took too long, as a share of its write's limit. A single slow step may have waited for a
 * processor, not for the disk.
 */
const SLOW_STEP_SHARE = 0.5;

/** Thrown before anything is written: checking the conditions of a write would hold the write lock for too long. */
export class OverBudget extends Error {
  override readonly name = "OverBudget";
}

/** The budget for checking the conditions of one group of writes inside its transaction. */
export class CheckBudget {
  #groupMicroseconds = 0;
  #writeMicroseconds = 0;
  #writeMax = 0;
  #lastMilliseconds = 0;
  readonly #now: () => number;

  /** @param now milliseconds by the monotonic clock */
  constructor(now: () => number = () => performance.now()) {
    this.#now = now;
  }

  beginWrite(): void {
    const left = GROUP_MICROSECONDS_MAX - this.#groupMicroseconds;
    this.#writeMax = Math.min(WRITE_MICROSECONDS_MAX, Math.max(WRITE_MICROSECONDS_MIN, left));
    this.#writeMicroseconds = 0;
    this.#lastMilliseconds = this.#now();
  }

  /** Excludes the time since the last step, which was not spent on this write. */
  skipTime(): void {
    this.#lastMilliseconds = this.#now();
  }

  /**
   * Counts a step of a search. A step that took far longer than estimated, for instance because of a cold disk,
   * counts for more.
   * @throws OverBudget
   */
  spend(microseconds: number): void {
    const now = this.#now();
    const taken = (now - this.#lastMilliseconds) * 1000;
    const counted = Math.max(microseconds, Math.min(taken / SLOWNESS_MAX, this.#writeMax * SLOW_STEP_SHARE));
    this.#lastMilliseconds = now;
    this.#writeMicroseconds += counted;
    this.#groupMicroseconds += counted;
    if (this.#writeMicroseconds > this.#writeMax) throw new OverBudget();
  }
}
