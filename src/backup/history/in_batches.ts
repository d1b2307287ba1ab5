import type { PreparedEvent } from "../../store/core/prepare_event.ts";

/** A batch ends at the first of these limits. */
export const BATCH_EVENTS_MAX = 5000;
export const BATCH_UNITS_MAX = 4 * 1024 * 1024;

/** Groups events in batches that are large enough for a transaction, and small enough for the memory. */
export function* inBatches(events: Iterable<PreparedEvent>): Generator<PreparedEvent[], void> {
  let batch: PreparedEvent[] = [];
  let units = 0;
  for (const event of events) {
    batch.push(event);
    units += event.body.length;
    if (batch.length < BATCH_EVENTS_MAX && units < BATCH_UNITS_MAX) continue;
    yield batch;
    batch = [];
    units = 0;
  }
  if (batch.length > 0) yield batch;
}
