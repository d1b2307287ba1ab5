/** A timer so much behind was held up by other work of the process. What arrived in time may still be unread. */
export const LATE_MILLISECONDS = 20;

/** How often overdue clients are looked for. */
export const SWEEP_MILLISECONDS = 250;

/**
 * The clock for the deadlines of clients, in milliseconds. It does not count the delay of a late sweep, since the
 * server did not read meanwhile.
 */
export class ReadingClock {
  readonly #realNow: () => number;
  #notRead = 0;
  #swept: number;

  constructor(realNow: () => number = () => performance.now()) {
    this.#realNow = realNow;
    this.#swept = realNow();
  }

  get now(): number {
    return this.#realNow() - this.#notRead;
  }

  /** @returns the time up to which deadlines can be checked: all bytes that clients had sent by then have been read */
  sweep(): number {
    const before = this.#swept;
    const late = this.now - before - SWEEP_MILLISECONDS;
    const isLate = late > LATE_MILLISECONDS;
    if (isLate) this.#notRead += late;
    this.#swept = this.now;
    // Bytes that were received since the last sweep may still be unread.
    return isLate ? before : this.#swept;
  }
}
