import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import { queuePart, readPart } from "../shared/debug_parts.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";
import type { EditionParts } from "./edition_parts.ts";

/** The kind of the refresh at startup. It differs from the kind of `POST /optimize`, which counts as a request. */
export const FIRST_OPTIMIZE = "firstOptimize";

/**
 * The document of `GET /debug`: state in memory only, without transaction IDs and without what transactions read or
 * write.
 */
export function debugSnapshot(
  { host, pause, transactions }: EditionParts,
  reads: ReadsInFlight,
): unknown {
  return {
    time: formatTimestamp(nowMicros()),
    pause: { state: pause.state, since: formatTimestamp(pause.sinceMicros) },
    transactions: { open: transactions.count },
    write: queuePart(host.queue, FIRST_OPTIMIZE),
    read: readPart(reads, host.store.reads),
  };
}
