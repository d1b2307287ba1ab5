import type { Histogram } from "../../bench/histogram.ts";

/** The latencies of the acts of a few seconds, each from its first request to its last answer. */
export interface Latencies {
  readonly count: number;
  /** Undefined when there were no acts. */
  readonly medianMilliseconds: number | undefined;
  readonly p99Milliseconds: number | undefined;
}

export function latenciesOf(histogram: Histogram): Latencies {
  const at = (share: number): number | undefined =>
    histogram.total === 0 ? undefined : histogram.quantile(share);
  return { count: histogram.total, medianMilliseconds: at(0.5), p99Milliseconds: at(0.99) };
}
