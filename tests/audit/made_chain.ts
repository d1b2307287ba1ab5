import type { Evidence, Failover, Settled } from "../../audit/chain/evidence.ts";
import { Histories, Observations } from "../../audit/chain/observations.ts";
import {
  type Call,
  type Outcome,
  type SeenEvent,
  SeenEvents,
  type SeenPage,
  type Segment,
} from "../../audit/chain/observed.ts";
import { folded, NOTHING, type Saw } from "../../audit/chain/seats.ts";

/** The parts of a sound history that a test changes. Everything in it can be replaced. */
export interface Made {
  before: Settled;
  after: Settled;
  failover: Failover;
  calls: Call[];
  pages: SeenPage[];
  segments: Segment[];
  stored: { state: Saw; at: { storeId: string; sequence: number } }[];
  /** Events that readers saw in stores, in addition to `before` and `after`. */
  seen: [storeId: string, event: SeenEvent][];
  readsReplicas: boolean;
}

/** Times before and after the failover, in microseconds. */
export const EARLY = 1000;
export const LATE = 9000;

const SHOW = "show1";
const HALL = "hall1";

/** A decision about the show, as its store should have it. */
export function decision(
  sequence: number,
  label: string,
  earlier: readonly SeenEvent[],
  type = "Taken",
): SeenEvent {
  const saw = earlier.filter(({ saw }) => saw !== undefined).reduce(folded, NOTHING);
  const identifiers = [{ name: "show", value: SHOW }, { name: "hall", value: HALL }];
  return { sequence, time: `t${sequence}`, type, identifiers, metadata: [], mark: `${label}/0`, saw };
}

export function note(sequence: number, label: string): SeenEvent {
  const identifiers = [{ name: "note", value: "n" }];
  return {
    sequence,
    time: `t${sequence}`,
    type: "Noted",
    identifiers,
    metadata: [],
    mark: `${label}/0`,
    saw: undefined,
  };
}

export function call(label: string, outcome: Outcome, more: Partial<Call> = {}): Call {
  return {
    label,
    operation: "decide",
    events: undefined,
    begun: EARLY,
    ended: EARLY + 10,
    writes: 1,
    storeIds: new Set(["S"]),
    outcome,
    ...more,
  };
}

export function done(storeId: string, ...events: readonly SeenEvent[]): Outcome {
  return { kind: "done", storeId, events };
}

export function failed(name: string, isOfStore = true): Outcome {
  return { kind: "failed", name, message: "", isOfStore };
}

export function page(
  storeId: string,
  events: readonly SeenEvent[],
  head: number,
  more: Partial<SeenPage> = {},
): SeenPage {
  return {
    storeId,
    head,
    query: "every",
    after: 0,
    before: undefined,
    isBackwards: false,
    limit: 1000,
    events,
    hasMore: false,
    begun: LATE,
    ended: LATE + 10,
    ...more,
  };
}

/** A failover without loss: six events before it, two after it, all in one store. */
export function lossless(): Made {
  const events: SeenEvent[] = [note(1, "a1")];
  events.push(decision(2, "d1", events));
  events.push(decision(3, "d2", events), note(4, "a2"));
  events.push(decision(5, "d3", events, "Released"), note(6, "k1"), note(7, "a3"));
  events.push(decision(8, "d4", events));
  const [a1, d1, d2, a2, d3, k1, a3, d4] = events as [
    ...[SeenEvent, SeenEvent, SeenEvent, SeenEvent],
    ...[SeenEvent, SeenEvent, SeenEvent, SeenEvent],
  ];
  const late = { begun: LATE - 100, ended: LATE - 50 };
  const query = [{ types: [], identifiers: a3.identifiers, metadata: [] }];
  return {
    before: { storeId: "S", events: [a1] },
    after: { storeId: "S", events },
    failover: { isLossy: false, kept: 6, struckAt: 3000, promotedAt: 4000, isKnownWhole: true },
    calls: [
      ...[d1, d2, d3].map((event) => call(event.mark.slice(0, 2), done("S", event))),
      call("a2", done("S", a2), { operation: "append", events: 1 }),
      call("k1", { kind: "done", storeId: undefined, events: [k1] }, {
        operation: "once",
        events: 1,
        key: "k1",
      }),
      call("a3", done("S", a3), {
        ...late,
        operation: "append",
        events: 1,
        condition: { query, after: { storeId: "S", sequence: 6 } },
      }),
      call("d4", done("S", d4), late),
      call("d5", {
        kind: "declined",
        at: { storeId: "S", sequence: 8 },
        topic: SHOW,
        saw: [d1, d2, d3, d4].reduce(folded, NOTHING),
      }, late),
      call("lost", { kind: "unknown" }),
      call("d6", { kind: "failed", name: "Unavailable", message: "", isOfStore: true }),
      call("d7", { kind: "failed", name: "Conflict", message: "", isOfStore: true }, { writes: 10 }),
    ],
    pages: [
      page("S", events, 8),
      page("S", [d4, a3], 8, { isBackwards: true, limit: 2, hasMore: true }),
      page("S", [d1, d2, d3], 7, {
        query: [{ types: [], identifiers: d1.identifiers, metadata: [] }],
        begun: 1,
      }),
    ],
    segments: [{ storeId: "S", events: [...events], sequence: 8, isReported: true }],
    stored: [
      { state: [d1, d2].reduce(folded, NOTHING), at: { storeId: "S", sequence: 4 } },
      { state: [d1, d2, d3, d4].reduce(folded, NOTHING), at: { storeId: "S", sequence: 8 } },
    ],
    seen: [],
    readsReplicas: false,
  };
}

/** A failover that lost the last two of four events, and two more after it, in a new store. */
export function lossy(): Made {
  const old: SeenEvent[] = [note(1, "a1")];
  old.push(decision(2, "d1", old));
  old.push(decision(3, "d2", old), note(4, "a2"));
  const events = old.slice(0, 2);
  events.push({ ...decision(3, "d3", events), time: "t3b" }, { ...note(4, "a3"), time: "t4b" });
  const late = { begun: LATE - 100, ended: LATE - 50 };
  return {
    before: { storeId: "S", events: old.slice(0, 1) },
    after: { storeId: "T", events },
    failover: { isLossy: true, kept: 2, struckAt: 3000, promotedAt: 4000, isKnownWhole: false },
    calls: [
      call("d1", done("S", old[1]!)),
      call("d2", done("S", old[2]!)),
      call("a2", done("S", old[3]!), { operation: "append", events: 1 }),
      call("d3", done("T", events[2]!), late),
      call("a3", done("T", events[3]!), { ...late, operation: "append", events: 1 }),
      call("d5", failed("Conflict"), { writes: 9, storeIds: new Set(["S", "T"]) }),
    ],
    pages: [page("S", old, 4, { begun: EARLY + 20 }), page("T", events, 4)],
    segments: [
      { storeId: "S", events: [...old], sequence: 4, isReported: true },
      { storeId: "T", events: [...events], sequence: 4, isReported: true },
    ],
    stored: [{ state: [events[1]!, events[2]!].reduce(folded, NOTHING), at: { storeId: "T", sequence: 4 } }],
    seen: old.map((event) => ["S", event]),
    readsReplicas: false,
  };
}

/** The history in the form that the campaign passes to the checker. */
export function evidenceOf(made: Made): Evidence {
  const { before, after, failover, readsReplicas, segments } = made;
  const histories = new Histories();
  for (const { storeId, events } of [before, after]) {
    for (const event of events) histories.see(storeId, event);
  }
  for (const [storeId, event] of made.seen) histories.see(storeId, event);
  for (const { storeId, events } of made.pages) for (const event of events) histories.see(storeId, event);
  const observations = new Observations(new SeenEvents(), histories);
  observations.calls.push(...made.calls);
  observations.pages.push(...made.pages);
  observations.stored.push(...made.stored.map((one) => ({ ...one, name: "projector", topic: HALL })));
  const followers = [{ name: "follower", topic: undefined, segments }];
  return { before, after, failover, observations, followers, readsReplicas };
}
