import { formatTimestamp } from "../../model/timestamp.ts";
import type { StoreReads } from "../../store/store.ts";
import type { QueueEntry } from "../../turns/queue_entry.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** The requests waiting for a turn, as `/debug` shows them. */
export function queuedPart(queued: readonly QueueEntry[]): unknown {
  return queued.map(({ kind, sinceMicros, seconds }) => ({
    kind,
    queuedAt: formatTimestamp(sinceMicros),
    waitSeconds: seconds,
  }));
}

/** How many of the entries are requests; the hourly refresh is not one. */
export function requestCount(entries: readonly QueueEntry[]): number {
  return entries.filter(({ kind }) => kind !== "optimize").length;
}

/** Reads in flight, as `/debug` shows them. */
export function readPart(inFlight: ReadsInFlight, { inUse, max }: StoreReads): unknown {
  return { httpOpen: inFlight.count, sqliteInUse: inUse, sqliteMax: max };
}
