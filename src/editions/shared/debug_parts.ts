import { jsonReply } from "../../http/replies.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import type { StoreReads } from "../../store/api/store.ts";
import type { QueueEntry } from "../../write_queue/admission.ts";
import type { WriteQueue } from "../../write_queue/write_queue.ts";
import { NOT_CACHED } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** `GET /debug`: the current state, from memory only. It contains no IDs, and nothing that clients read or wrote. */
export function debugRoute(state: () => object): Route {
  return getRoute(
    "operate",
    "/debug",
    () => jsonReply(200, { time: formatTimestamp(nowMicros()), ...state() }, NOT_CACHED),
  );
}

/**
 * The write queue: the write lock, its holder and the requests that wait for it.
 * @param ownKind see `requestCount`
 */
export function queuePart(
  { active, queued }: Pick<WriteQueue, "active" | "queued">,
  ownKind: string,
): unknown {
  return {
    active: active === undefined ? null : {
      kind: active.kind,
      since: formatTimestamp(active.age.sinceMicros),
      ageSeconds: active.age.seconds,
    },
    queued: queuedPart(queued),
    httpOpen: requestCount(active === undefined ? queued : [active, ...queued], ownKind),
    sqliteInUse: active === undefined ? 0 : 1,
    sqliteMax: 1,
  };
}

/** The requests that wait for the write lock, as `/debug` shows them. */
export function queuedPart(queued: readonly QueueEntry[]): unknown {
  return queued.map(({ kind, age }) => ({
    kind,
    queuedAt: formatTimestamp(age.sinceMicros),
    waitSeconds: age.seconds,
  }));
}

/**
 * Counts the entries that are requests of clients.
 * @param ownKind the kind of the work that the server does by itself
 */
export function requestCount(entries: readonly QueueEntry[], ownKind: string): number {
  return entries.filter(({ kind }) => kind !== ownKind).length;
}

/** Reads in flight, as `/debug` shows them. Those that wait for an event count as open, too. */
export function readPart(
  inFlight: ReadsInFlight,
  { inUse, max }: Pick<StoreReads, "inUse" | "max">,
): unknown {
  return { httpOpen: inFlight.count, waiting: inFlight.waiting, sqliteInUse: inUse, sqliteMax: max };
}
