/*
 * Where a time lies among the sequences. Sequences have no gaps and, unless the clock was set back, times ascend
 * with them. So a few single events tell how many came in a minute, of millions, and none of the others is read.
 */

interface Known {
  readonly sequence: number;
  readonly time: number;
}

/** The times of the events that somebody has met, by sequence. */
export class KnownTimes {
  /** Ascending by sequence. */
  readonly #known: Known[] = [];

  learn(sequence: number, time: number): void {
    const at = this.#firstFrom((known) => known.sequence >= sequence);
    if (this.#known[at]?.sequence !== sequence) this.#known.splice(at, 0, { sequence, time });
  }

  timeOf(sequence: number): number | undefined {
    const known = this.#known[this.#firstFrom((known) => known.sequence >= sequence)];
    return known?.sequence === sequence ? known.time : undefined;
  }

  /** The last event before a time and the first one from it on, as far as is known. */
  around(time: number, head: number): { readonly low: Known; readonly high: Known } {
    const at = this.#firstFrom((known) => known.time >= time);
    const low = this.#known[at - 1] ?? { sequence: 0, time: -Infinity };
    const high = this.#known[at] ?? { sequence: head + 1, time: Infinity };
    return { low, high: high.sequence > head + 1 ? { sequence: head + 1, time: Infinity } : high };
  }

  /**
   * Where a time probably lies, without looking.
   * @returns the first sequence from it on, and by how many that may be wrong
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

/** Looks up what is not known. */
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
   * Looks at one event more, where a time may lie.
   * @param turn how often somebody has looked before
   */
  async lookNear(time: number, head: number, turn: number): Promise<void> {
    const { low, high } = this.known.around(time, head);
    await this.timeOf(between(low, high, time, turn));
  }
}

/** By turns where events that come evenly would be, and in the middle, which never takes long. */
function between(low: Known, high: Known, time: number, turn: number): number {
  return turn % 2 === 0 ? guess(low, high, time) : Math.floor((low.sequence + high.sequence) / 2);
}

/** Where a time lies between two events if they came evenly; between them, not at one of them. */
function guess(low: Known, high: Known, time: number): number {
  const between = high.sequence - low.sequence;
  const share = (time - low.time) / (high.time - low.time);
  const steps = Number.isFinite(share) ? Math.round(share * between) : Math.floor(between / 2);
  return low.sequence + Math.min(between - 1, Math.max(1, steps));
}
