import { ACT_TAG, type WireEvent } from "../history/wire_event.ts";
import type { Act } from "../history/record.ts";
import { SUBJECT } from "../workload/endings.ts";
import type { Random } from "../workload/random.ts";

/** Beyond a page of the database. */
const LONG_TEXT = 6000;

/** A write of events of a subject. The first one has an encrypted payload, so that the subject has a key. */
export function randomAppend(random: Random, subject: string, id: number): Act {
  const events = randomEvents(random, subject, id, 1 + random.below(3));
  return { kind: "write", events, projections: [], condition: "none" };
}

/** A request to forget a subject, with events that must be there exactly when its key was destroyed. */
export function randomForget(random: Random, subject: string, id: number): Act {
  return { kind: "forget", subject, events: randomEvents(random, subject, id, random.below(3)) };
}

/** Events of one client, by which they are found. Some are not about the subject, and stay readable. */
function randomEvents(random: Random, subject: string, id: number, count: number): WireEvent[] {
  return Array.from({ length: count }, (_, i) => ({
    type: random.pick(["noted", "counted"]),
    identifiers: i === 0 || random.chance(0.7) ? { by: subject, [SUBJECT]: subject } : { by: subject },
    metadata: { [ACT_TAG]: String(id) },
    payload: `${id}.${i}`.padEnd(random.chance(0.1) ? LONG_TEXT : 0, "x"),
  }));
}
