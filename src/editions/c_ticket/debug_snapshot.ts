import { formatTimestamp } from "../../model/timestamp.ts";
import { HOURLY_OPTIMIZE } from "../../write_queue/hourly_optimize.ts";
import { queuedPart, readPart, requestCount } from "../shared/debug_parts.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { TicketTransaction } from "./ticket_transaction.ts";

/** The document of `GET /debug`: state in memory only, without tickets and without what a call reads or writes. */
export function debugSnapshot(
  { host: { queue, store }, pause, active }: EditionParts,
  reads: ReadsInFlight,
): object {
  const transaction = active.current;
  return {
    paused: pause.sinceMicros === undefined ? null : { since: formatTimestamp(pause.sinceMicros) },
    write: {
      active: transaction === undefined ? null : activeTransaction(transaction),
      queued: queuedPart(queue.queued),
      // A transaction counts as its open calls.
      httpOpen: requestCount(queue.queued, HOURLY_OPTIMIZE) + (transaction?.callsOpen ?? 0),
      sqliteInUse: queue.active === undefined ? 0 : 1,
      sqliteMax: 1,
    },
    read: readPart(reads, store.reads),
  };
}

function activeTransaction({ deadlines, callsBegun }: TicketTransaction): unknown {
  // The client has not received the ticket yet.
  if (deadlines === undefined) return null;
  return {
    since: formatTimestamp(deadlines.age.sinceMicros),
    ageSeconds: deadlines.age.seconds,
    deadline: formatTimestamp(deadlines.deadlineMicros),
    ceiling: formatTimestamp(deadlines.ceilingMicros),
    calls: callsBegun,
  };
}
