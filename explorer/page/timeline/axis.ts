/** The possible widths of a bar in seconds, for an axis with round times. */
const WIDTHS = [
  0.01,
  0.05,
  0.1,
  0.5,
  1,
  5,
  10,
  30,
  60,
  300,
  600,
  1800,
  3600,
  3 * 3600,
  6 * 3600,
  12 * 3600,
  86_400,
  7 * 86_400,
  30 * 86_400,
  365 * 86_400,
];
const BARS_MAX = 90;

/** A time range in equal parts. */
export interface Axis {
  /** Milliseconds since 1970. */
  readonly from: number;
  /** The width of each bar in milliseconds. */
  readonly width: number;
  readonly bars: number;
}

export interface Bar {
  /** Milliseconds since 1970. */
  readonly from: number;
  readonly before: number;
  readonly count: number;
  /** True when not all events of the bar were read. */
  readonly isEstimated: boolean;
}

/** An axis that covers the time between two times, in milliseconds since 1970. */
export function axisOf(begin: number, end: number): Axis {
  const span = Math.max(end - begin, 1) / 1000;
  const width = 1000 * (WIDTHS.find((width) => span / width <= BARS_MAX - 1) ?? span / (BARS_MAX - 1));
  const from = Math.floor(begin / width) * width;
  return { from, width, bars: Math.min(BARS_MAX, Math.max(1, Math.ceil((end - from) / width))) };
}
