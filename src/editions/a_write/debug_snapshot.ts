import { nowMicros } from "../../core/clock.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { EditionHost } from "../edition.ts";
import type { ReadsInFlight } from "../shared/reads_in_flight.ts";

/** What `GET /debug` shows: state in memory only, and nothing of what a request reads or writes. */
export function debugSnapshot({ queue, store }: EditionHost, reads: ReadsInFlight): unknown {
  const { active, queued } = queue;
  const holders = active === undefined ? queued : [active, ...queued];
  return {
    time: formatTimestamp(nowMicros()),
    write: {
      active: active === undefined ? null : {
        kind: active.kind,
        since: formatTimestamp(active.sinceMicros),
        ageSeconds: active.seconds,
      },
      queued: queued.map(({ kind, sinceMicros, seconds }) => ({
        kind,
        queuedAt: formatTimestamp(sinceMicros),
        waitSeconds: seconds,
      })),
      // The hourly refresh is nobody's request.
      httpOpen: holders.filter(({ kind }) => kind !== "optimize").length,
      sqliteInUse: active === undefined ? 0 : 1,
      sqliteMax: 1,
    },
    read: { httpOpen: reads.count, sqliteInUse: store.readersInUse, sqliteMax: store.readersMax },
  };
}
