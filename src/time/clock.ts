/**
 * The system clock in microseconds since 1970. It may go back, so nothing is ordered or decided by it.
 * Durations are measured with `performance.now()` instead.
 */
export function nowMicros(): number {
  return Number(Temporal.Now.instant().epochNanoseconds / 1000n);
}

/** A moment, and how long ago it was by the monotonic clock. */
export class Age {
  readonly #startedAt = performance.now();
  #sinceMicros: number | undefined;

  /** The moment by the system clock. Computed on demand, since most writes never need it. */
  get sinceMicros(): number {
    this.#sinceMicros ??= nowMicros() - Math.round(this.seconds * 1_000_000);
    return this.#sinceMicros;
  }

  /** Less than 0 when this age began before the other. */
  compare(other: Age): number {
    return this.#startedAt - other.#startedAt;
  }

  get seconds(): number {
    return (performance.now() - this.#startedAt) / 1000;
  }
}
