import { formatTimestamp } from "../../model/timestamp.ts";
import { nowMicros } from "../../turns/clock.ts";
import type { EditionHost } from "../edition.ts";
import { queuedPart, readPart, requestCount } from "../shared/debug_parts.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";

/** What `GET /debug` shows: state in memory only, and nothing of what a request reads or writes. */
export function debugSnapshot({ queue, store }: EditionHost, reads: ReadsInFlight): unknown {
  const { active, queued } = queue;
  return {
    time: formatTimestamp(nowMicros()),
    write: {
      active: active === undefined ? null : {
        kind: active.kind,
        since: formatTimestamp(active.sinceMicros),
        ageSeconds: active.seconds,
      },
      queued: queuedPart(queued),
      httpOpen: requestCount(active === undefined ? queued : [active, ...queued]),
      sqliteInUse: active === undefined ? 0 : 1,
      sqliteMax: 1,
    },
    read: readPart(reads, store.reads),
  };
}
