/** The time of a request in milliseconds since 1970, and how long its answer took. */
export interface Latency {
  readonly at: number;
  readonly milliseconds: number;
}

/** A period, in milliseconds since 1970. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

export interface Summary {
  readonly count: number;
  readonly p50: number;
  readonly p99: number;
  readonly worst: number;
}

/** The time in milliseconds since 1970. It is the same in all threads, unlike `performance.now()`. */
export function now(): number {
  return performance.timeOrigin + performance.now();
}

/**
 * The latencies of clients that send a request every so many milliseconds. A client that waits for an answer sends
 * no other one meanwhile. Each request that it would have sent counts with the remaining wait.
 */
export function summary(latencies: readonly Latency[], everyMilliseconds: number): Summary {
  const all = latencies.flatMap(({ milliseconds }) => {
    const missed = Math.floor(milliseconds / everyMilliseconds);
    return Array.from({ length: missed + 1 }, (_, i) => milliseconds - i * everyMilliseconds);
  }).sort((a, b) => a - b);
  const at = (share: number): number => all[Math.max(0, Math.ceil(all.length * share) - 1)] ?? NaN;
  return { count: latencies.length, p50: at(0.5), p99: at(0.99), worst: all.at(-1) ?? NaN };
}

/** Requests that overlap one of the spans. */
export function within(latencies: readonly Latency[], spans: readonly Span[]): Latency[] {
  return latencies.filter(({ at, milliseconds }) =>
    spans.some(({ from, to }) => at < to && at + milliseconds > from)
  );
}
