import { nowMicros } from "../../core/clock.ts";
import { formatTimestamp } from "../../model/timestamp.ts";
import type { EditionParts } from "./edition_parts.ts";
import type { Transaction } from "./transaction.ts";

/** What `GET /debug` shows: state in memory only, no ticket, and nothing of what a call reads or writes. */
export function debugSnapshot({ host: { queue, store }, pause, active, reads }: EditionParts): unknown {
  const { queued } = queue;
  const transaction = active.current;
  // A transaction is counted by its calls, and the hourly refresh is nobody's request.
  const requests = queued.filter(({ kind }) => kind !== "optimize");
  return {
    time: formatTimestamp(nowMicros()),
    paused: pause.sinceMicros === undefined ? null : { since: formatTimestamp(pause.sinceMicros) },
    write: {
      active: transaction === undefined ? null : activeTransaction(transaction),
      queued: queued.map(({ kind, sinceMicros, seconds }) => ({
        kind,
        queuedAt: formatTimestamp(sinceMicros),
        waitSeconds: seconds,
      })),
      httpOpen: requests.length + (transaction?.callsOpen ?? 0),
      sqliteInUse: queue.active === undefined ? 0 : 1,
      sqliteMax: 1,
    },
    read: { httpOpen: reads.count, sqliteInUse: store.readersInUse, sqliteMax: store.readersMax },
  };
}

function activeTransaction({ deadlines, callsBegun }: Transaction): unknown {
  // The ticket is not out yet.
  if (deadlines === undefined) return null;
  return {
    since: formatTimestamp(deadlines.sinceMicros),
    ageSeconds: deadlines.ageSeconds,
    deadline: formatTimestamp(deadlines.deadlineMicros),
    ceiling: formatTimestamp(deadlines.ceilingMicros),
    calls: callsBegun,
  };
}
