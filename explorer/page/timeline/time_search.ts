/*
 * Finds the sequence of a time. Sequences have no gaps, and times ascend with them unless the clock was set back.
 * So a few single events determine how many of millions were committed in a minute, without reading the others.
 */

interface Known {
  readonly sequence: number;
  readonly time: number;
}

/** The times of the events that the page has read, by sequence. */
export class KnownTimes {
  /** In ascending order of sequences. */
  readonly #known: Known[] = [];

  learn(sequence: number, time: number): void {
    const at = this.#firstFrom((known) => known.sequence >= sequence);
    if (this.#known[at]?.sequence !== sequence) this.#known.splice(at, 0, { sequence, time });
  }

  timeOf(sequence: number): number | undefined {
    const known = this.#known[this.#firstFrom((known) => known.sequence >= sequence)];
    return known?.sequence === sequence ? known.time : undefined;
  }

  /** The last known event before a time, and the first known one at or after it. */
  around(time: number, head: number): { readonly low: Known; readonly high: Known } {
    const at = this.#firstFrom((known) => known.time >= time);
    const low = this.#known[at - 1] ?? { sequence: 0, time: -Infinity };
    const high = this.#known[at] ?? { sequence: head + 1, time: Infinity };
    return { low, high: high.sequence > head + 1 ? { sequence: head + 1, time: Infinity } : high };
  }

  /**
   * Estimates where a time lies, without a read.
   * @returns the first sequence at or after the time, and the largest possible error
   */
  near(time: number, head: number): { readonly sequence: number; readonly error: number } {
    const { low, high } = this.around(time, head);
    const error = Math.max(0, high.sequence - low.sequence - 1);
    return { sequence: error === 0 ? high.sequence : guess(low, high, time), error };
  }

  #firstFrom(is: (known: Known) => boolean): number {
    let low = 0;
    let high = this.#known.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (is(this.#known[middle]!)) high = middle;
      else low = middle + 1;
    }
    return low;
  }
}

/** Finds sequences by time, and reads single events where times are unknown. */
export class TimeSearch {
  readonly known: KnownTimes;
  readonly #timeAt: (sequence: number) => Promise<number>;

  /** @param timeAt the time of the event with a sequence, in milliseconds */
  constructor(known: KnownTimes, timeAt: (sequence: number) => Promise<number>) {
    this.known = known;
    this.#timeAt = timeAt;
  }

  async timeOf(sequence: number): Promise<number> {
    const known = this.known.timeOf(sequence);
    if (known !== undefined) return known;
    const time = await this.#timeAt(sequence);
    this.known.learn(sequence, time);
    return time;
  }

  /** The first sequence whose event is not before the time, `head` + 1 when there is none. */
  async firstFrom(time: number, head: number): Promise<number> {
    let { low, high } = this.known.around(time, head);
    for (let turn = 0; high.sequence - low.sequence > 1; turn++) {
      const sequence = between(low, high, time, turn);
      const found = { sequence, time: await this.timeOf(sequence) };
      if (found.time >= time) high = found;
      else low = found;
    }
    return high.sequence;
  }

  /**
   * Reads one more event near a time.
   * @param turn number of earlier calls, which alternates between two ways of searching
   */
  async lookNear(time: number, head: number, turn: number): Promise<void> {
    const { low, high } = this.known.around(time, head);
    await this.timeOf(between(low, high, time, turn));
  }
}

/** Alternates between interpolation, which is fast for even rates, and bisection, which is never slow. */
function between(low: Known, high: Known, time: number, turn: number): number {
  return turn % 2 === 0 ? guess(low, high, time) : Math.floor((low.sequence + high.sequence) / 2);
}

/** Interpolates the sequence of a time strictly between two events. */
function guess(low: Known, high: Known, time: number): number {
  const between = high.sequence - low.sequence;
  const share = (time - low.time) / (high.time - low.time);
  const steps = Number.isFinite(share) ? Math.round(share * between) : Math.floor(between / 2);
  return low.sequence + Math.min(between - 1, Math.max(1, steps));
}
