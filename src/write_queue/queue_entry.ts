import type { Age } from "../time/clock.ts";

/** A request in the queue, as `/debug` shows it. Times in microseconds, waits by the monotonic clock. */
export interface QueueEntry {
  readonly kind: string;
  readonly sinceMicros: number;
  readonly seconds: number;
}

export function entryOf({ kind }: { readonly kind: string }, { sinceMicros, seconds }: Age): QueueEntry {
  return { kind, sinceMicros, seconds };
}
