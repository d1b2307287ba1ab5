/**
 * The system clock in microseconds since 1970. It may go back, so nothing orders or decides by it.
 * Durations are taken from `performance.now()` instead.
 */
export function nowMicros(): number {
  return Number(Temporal.Now.instant().epochNanoseconds / 1000n);
}
