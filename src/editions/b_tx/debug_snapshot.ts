import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import { queuePart, readPart } from "../shared/debug_parts.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";
import type { EditionParts } from "./edition_parts.ts";

/** The kind of the refresh at the start, which is no request: `POST /optimize` is one, and of another kind. */
export const FIRST_OPTIMIZE = "firstOptimize";

/** What `GET /debug` shows: state in memory only, no transaction's ID, and nothing of what one reads or writes. */
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
