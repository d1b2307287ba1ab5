/*
 * Where a time lies among the sequences. Sequences have no gaps and, unless the clock was set back, times ascend
 * with them. So a few single events tell how many came in a minute, of millions, and none of the others is read.
 */

interface Known {
  readonly sequence: number;
  readonly time: number;
}

/** What is known of the store: times by sequence. */
export class TimeSearch {
  readonly #timeAt: (sequence: number) => Promise<number>;
  /** Ascending by sequence. */
  readonly #known: Known[] = [];

  /** @param timeAt the time of the event with a sequence, in milliseconds */
  constructor(timeAt: (sequence: number) => Promise<number>) {
    this.#timeAt = timeAt;
  }

  /** What was learned anyway. */
  learn(sequence: number, time: number): void {
    const at = this.#firstFrom((known) => known.sequence >= sequence);
    if (this.#known[at]?.sequence !== sequence) this.#known.splice(at, 0, { sequence, time });
  }

  async timeOf(sequence: number): Promise<number> {
    const known = this.#known[this.#firstFrom((known) => known.sequence >= sequence)];
    if (known?.sequence === sequence) return known.time;
    const time = await this.#timeAt(sequence);
    this.learn(sequence, time);
    return time;
  }

  /**
   * The first sequence whose event is not before the time, `head` + 1 when there is none.
   * @param slack how many events the answer may be off
   */
  async firstFrom(time: number, head: number, slack = 0): Promise<number> {
    const at = this.#firstFrom((known) => known.time >= time);
    let low = this.#known[at - 1] ?? { sequence: 0, time: -Infinity };
    let high = this.#known[at] ?? { sequence: head + 1, time: Infinity };
    if (high.sequence > head + 1) high = { sequence: head + 1, time: Infinity };
    for (let turn = 0; high.sequence - low.sequence > 1 + slack; turn++) {
      const sequence = turn % 2 === 0
        ? guess(low, high, time)
        : Math.floor((low.sequence + high.sequence) / 2);
      const found = { sequence, time: await this.timeOf(sequence) };
      if (found.time >= time) high = found;
      else low = found;
    }
    return high.sequence;
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

/** Where a time lies between two events if they came evenly; between them, not at one of them. */
function guess(low: Known, high: Known, time: number): number {
  const between = high.sequence - low.sequence;
  const share = (time - low.time) / (high.time - low.time);
  const steps = Number.isFinite(share) ? Math.round(share * between) : Math.floor(between / 2);
  return low.sequence + Math.min(between - 1, Math.max(1, steps));
}

export interface Bar {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly before: number;
  readonly count: number;
}

/** How many events came in each of `bars` equal parts of a time. */
export async function countByTime(
  search: TimeSearch,
  span: { readonly from: number; readonly before: number },
  bars: number,
  head: number,
): Promise<Bar[]> {
  const first = await search.firstFrom(span.from, head);
  const end = await search.firstFrom(span.before, head);
  const slack = Math.floor((end - first) / bars / 25);
  const width = (span.before - span.from) / bars;
  const result: Bar[] = [];
  let begin = first;
  for (let i = 0; i < bars; i++) {
    const before = span.from + (i + 1) * width;
    const next = i === bars - 1 ? end : Math.max(begin, await search.firstFrom(before, head, slack));
    result.push({ from: span.from + i * width, before, count: next - begin });
    begin = next;
  }
  return result;
}
