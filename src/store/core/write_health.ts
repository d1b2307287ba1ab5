import { nowMicros } from "../../time/clock.ts";
import type { Failure } from "../api/outcome.ts";

/** Writes fail, and no client is at fault. */
export interface FailingWrites {
  readonly reason: string;
  /** The time of the first failure, in microseconds since 1970. */
  readonly sinceMicros: number;
  /** The time of the last failure, by the monotonic clock in milliseconds. */
  readonly lastAt: number;
}

/** WriteHealth knows if write transactions fail because of the disk, a file, a lock or a connection. */
export class WriteHealth {
  /** Called with the reason when writes begin to fail, and without one when a write is committed again. */
  onChange: (reason: string | undefined) => void = () => {};
  /** How many writes have failed since the start, through no fault of a client. */
  failures = 0;
  #failing: FailingWrites | undefined;

  get failing(): FailingWrites | undefined {
    return this.#failing;
  }

  failed({ reason, cause = "other" }: Failure): void {
    // The statement of a single write may have failed. A copy of a key in the WAL delays no write.
    if (cause === "other" || cause === "keyLeft") return;
    const before = this.#failing;
    this.failures++;
    this.#failing = { reason, sinceMicros: before?.sinceMicros ?? nowMicros(), lastAt: performance.now() };
    if (before === undefined) this.onChange(reason);
  }

  committed(): void {
    if (this.#failing === undefined) return;
    this.#failing = undefined;
    this.onChange(undefined);
  }
}
