/** What the conditions of one write may cost in its turn, as search steps count it, and those of a group. */
const WRITE_MICROSECONDS_MAX = 2000;
const GROUP_MICROSECONDS_MAX = 10_000;

/** When a group has used up its share, each further write may still do so much: an ordinary search. */
const WRITE_MICROSECONDS_MIN = 300;

/** A step may take so many times longer than it says: a slow machine must not find every condition costly. */
const SLOWNESS_MAX = 5;

/**
 * A step that took too long counts for this share of what its write has at most: one alone has perhaps waited for a
 * processor, and not for the disk.
 */
const SLOW_STEP_SHARE = 0.5;

/** Thrown before anything is written: to check the conditions of a write would hold its turn for too long. */
export class OverBudget extends Error {
  override readonly name = "OverBudget";
}

/** How long the conditions of the writes of one group may be searched for in their turn. */
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

  /** The time since the last step was not spent on this write. */
  skipTime(): void {
    this.#lastMilliseconds = this.#now();
  }

  /**
   * Counts a step of a search. One that took far longer than it says, such as from a cold disk, counts for more.
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
