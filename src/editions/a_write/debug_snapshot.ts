import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../time/clock.ts";
import { HOURLY_OPTIMIZE } from "../../write_queue/hourly_optimize.ts";
import type { EditionHost } from "../edition.ts";
import { queuePart, readPart } from "../shared/debug_parts.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";

/** The document of `GET /debug`: state in memory only, without anything that a request reads or writes. */
export function debugSnapshot({ queue, store }: EditionHost, reads: ReadsInFlight): unknown {
  return {
    time: formatTimestamp(nowMicros()),
    write: queuePart(queue, HOURLY_OPTIMIZE),
    read: readPart(reads, store.reads),
  };
}
