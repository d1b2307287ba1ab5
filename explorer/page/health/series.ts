/** A range of time that a drawing shows. */
export interface Range {
  readonly name: string;
  readonly seconds: number;
}

export const RANGES: readonly [Range, ...Range[]] = [
  { name: "5 minutes", seconds: 300 },
  { name: "1 hour", seconds: 3600 },
  { name: "6 hours", seconds: 6 * 3600 },
  { name: "1 day", seconds: 86_400 },
];

/** A drawing has so many points. */
const POINTS = 150;

export interface Point {
  /** Seconds since 1970. */
  readonly at: number;
  readonly value: number;
}

/** The values of a number over a day. A point is the highest value of its part of the range. */
export class Series {
  readonly #points = new Map<Range, { at: number; value: number }[]>(RANGES.map((range) => [range, []]));

  /** @param at seconds since 1970, later than the values before */
  add(at: number, value: number): void {
    for (const [range, points] of this.#points) {
      const width = range.seconds / POINTS;
      const last = points.at(-1);
      if (last !== undefined && Math.floor(last.at / width) === Math.floor(at / width)) {
        last.at = at;
        last.value = Math.max(last.value, value);
      } else points.push({ at, value });
      while (points[0]!.at < at - range.seconds) points.shift();
    }
  }

  /** The points of a range, and the longest time between two of them without a gap. */
  pointsOf(range: Range): { readonly points: readonly Point[]; readonly gapSeconds: number } {
    // Another view reads the numbers only every ten seconds.
    return { points: this.#points.get(range)!, gapSeconds: Math.max(30, 3 * range.seconds / POINTS) };
  }
}
