import type { AskedQuery, Call, Condition, History, LoggedEvent } from "../../audit/order/history.ts";
import { firstAfter, sequencesOf } from "../../audit/order/matching.ts";
import type { Random } from "../../audit/workload/random.ts";

const CLIENTS = 5;

/**
 * A history of a store that does everything right. Each call takes effect at some moment between its beginning and its
 * end.
 */
export function madeHistory(random: Random, calls: number): History {
  const log: LoggedEvent[] = [];
  const made: Call[] = [];
  let moment = 0;
  /** Calls that have begun. Each is carried out when it ends, or some moments before. */
  const open: { id: number; begun: number; done: Call | undefined }[] = [];
  for (let id = 1; made.length < calls;) {
    moment++;
    if (open.length < CLIENTS && random.chance(0.5)) {
      open.push({ id: id++, begun: moment, done: undefined });
      continue;
    }
    if (open.length === 0) continue;
    const one = random.pick(open);
    if (one.done === undefined) one.done = carriedOut(random, one.id, one.begun, log);
    else {
      made.push({ ...one.done, ended: moment });
      open.splice(open.indexOf(one), 1);
    }
  }
  // Calls that are still open were never answered, so their events must not be in the log.
  const known = new Set(made.map(({ id }) => id));
  const last = log.findIndex(({ call }) => !known.has(call));
  const kept = last < 0 ? log : log.slice(0, last);
  const isWhole = made.filter((call) => isWithin(call, kept.length));
  return { calls: isWhole, log: kept.filter(({ call }) => isWhole.some(({ id }) => id === call)) };
}

/** Returns true when a call saw and wrote nothing beyond this number of events. */
function isWithin(call: Call, length: number): boolean {
  if (call.kind === "read") return call.head! <= length;
  const { outcome } = call;
  if (outcome.kind === "accepted") return outcome.sequences!.every((sequence) => sequence <= length);
  return outcome.kind === "takenBack" || outcome.sequence <= length;
}

function carriedOut(random: Random, id: number, begun: number, log: LoggedEvent[]): Call {
  const query = madeQuery(random);
  const head = log.length;
  if (random.chance(0.4)) {
    const after = random.below(head + 1);
    const limit = 1 + random.below(5);
    const isBackwards = random.chance(0.3);
    const all = sequencesOf(log.slice(after), query);
    const sequences = (isBackwards ? all.toReversed() : all).slice(0, limit);
    const hasMore = all.length > limit;
    return { kind: "read", query, after, limit, isBackwards, sequences, hasMore, head, id, begun, ended: 0 };
  }
  const conditions: Condition[] = random.chance(0.5)
    ? [{ query, after: Math.max(0, head - random.below(4)) }]
    : [{ query: madeQuery(random), after: head }, { query, found: sequencesOf(log, query) }];
  const events = 1 + random.below(3);
  const write = { kind: "write", conditions, events, id, begun, ended: 0 } as const;
  for (const [condition, { query, ...rest }] of conditions.entries()) {
    const sequence = "after" in rest ? firstAfter(log, query, rest.after, head) : undefined;
    if (sequence !== undefined) return { ...write, outcome: { kind: "conflict", condition, sequence } };
  }
  const sequences = Array.from({ length: events }, (_, i) => head + 1 + i);
  log.push(...sequences.map((sequence): LoggedEvent => ({
    sequence,
    type: random.pick(["s", "t"]),
    identifiers: [{ name: "k", value: String(random.below(3)) }],
    call: id,
  })));
  return { ...write, outcome: { kind: "accepted", sequences } };
}

function madeQuery(random: Random): AskedQuery {
  if (random.chance(0.2)) return "every";
  const types = random.chance(0.5) ? [random.pick(["s", "t"])] : [];
  return [{ types, identifiers: [{ name: "k", value: String(random.below(3)) }] }];
}
