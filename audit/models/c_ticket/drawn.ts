import fc from "fast-check";
import { type DrawnChange, event, query } from "../../../tests/editions/a_write/operations.ts";
import type { WireQuery, WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { COMMON, type CommonDrawn, over, projectionKey, UNTIL_KILLED } from "../common.ts";
import { EVENT_EDGES } from "../edges.ts";
import { PAGE_EVENTS_MAX } from "../limits.ts";
import { drawnChanges } from "../projections.ts";

/* The commands of edition C. */

const CALL_EDGES = [...EVENT_EDGES, "projections", "projectionSize", "items", "values", "body"] as const;
export type CallEdge = typeof CALL_EDGES[number];

export interface DrawnCondition {
  readonly query: WireQuery | undefined;
  /** The distance from the head that the transaction sees. */
  readonly back: number | undefined;
}

/** A call with a ticket. */
export type DrawnCall =
  | { readonly kind: "commit" | "rollback" }
  | {
    readonly kind: "append";
    readonly events: WireWrite["events"];
    readonly condition: DrawnCondition | undefined;
  }
  | DrawnSearch
  | { readonly kind: "ticketGet"; readonly type: string; readonly id: string }
  | { readonly kind: "ticketChange"; readonly changes: readonly DrawnChange[] }
  | { readonly kind: "edge"; readonly edge: CallEdge; readonly over: number }
  | { readonly kind: "bad"; readonly which: number };

/** A read by time, with a ticket or without. */
export interface DrawnSearch {
  readonly kind: "search";
  readonly inside: boolean;
  readonly query: WireQuery;
  readonly back: number | undefined;
  /** Which events, counted from the last one, give the bounds of the time. */
  readonly from: number | undefined;
  readonly before: number | undefined;
  readonly limit: number;
}

export type DrawnC =
  | CommonDrawn
  | DrawnCall
  | { readonly kind: "begin" | "leave" | "noTicket" | "pause" | "resume" | "reset" | "deleteAll" }
  /** A whole transaction, or the rest of one. */
  | { readonly kind: "transact"; readonly events: WireWrite["events"] }
  | { readonly kind: "oldTicket"; readonly which: number }
  | { readonly kind: "change"; readonly changes: readonly DrawnChange[] }
  | { readonly kind: "interrupted"; readonly afterMilliseconds: number }
  | { readonly kind: "deleteType"; readonly type: string };

const distance = (max: number) => fc.option(fc.integer({ min: 0, max }), { nil: undefined });
const condition: fc.Arbitrary<DrawnCondition> = fc.record({
  query: fc.option(query, { nil: undefined, freq: 8 }),
  back: fc.option(fc.integer({ min: -1, max: 3 }), { nil: undefined, freq: 8 }),
});

export const drawnC: fc.Arbitrary<DrawnC> = fc.oneof(
  ...COMMON,
  { weight: 160, arbitrary: fc.constant({ kind: "begin" }) },
  { weight: 16, arbitrary: fc.constant({ kind: "leave" }) },
  {
    weight: 120,
    arbitrary: fc.record({ kind: fc.constant("transact"), events: fc.array(event, { maxLength: 3 }) }),
  },
  {
    weight: 160,
    arbitrary: fc.record({
      kind: fc.constant("append"),
      events: fc.array(event, { maxLength: 3 }),
      condition: fc.option(condition, { nil: undefined, freq: 1 }),
    }),
  },
  {
    weight: 80,
    arbitrary: fc.record({
      kind: fc.constant("search"),
      inside: fc.boolean(),
      query,
      back: distance(100),
      from: distance(100),
      before: distance(60),
      limit: fc.constantFrom(1, 5, PAGE_EVENTS_MAX),
    }),
  },
  { weight: 40, arbitrary: fc.record({ kind: fc.constant("ticketGet"), ...projectionKey }) },
  {
    weight: 80,
    arbitrary: fc.record({ kind: fc.constant("ticketChange"), changes: drawnChanges }),
  },
  {
    weight: 24,
    arbitrary: fc.record({ kind: fc.constant("change"), changes: drawnChanges }),
  },
  { weight: 140, arbitrary: fc.constant({ kind: "commit" }) },
  { weight: 24, arbitrary: fc.constant({ kind: "rollback" }) },
  { weight: 8, arbitrary: fc.constant({ kind: "noTicket" }) },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("oldTicket"), which: fc.nat({ max: 20 }) }) },
  {
    weight: 32,
    arbitrary: fc.record({ kind: fc.constant("edge"), edge: fc.constantFrom(...CALL_EDGES), over }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("bad"), which: fc.nat({ max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("interrupted"), afterMilliseconds: UNTIL_KILLED }),
  },
  { weight: 20, arbitrary: fc.constant({ kind: "pause" }) },
  { weight: 32, arbitrary: fc.constant({ kind: "resume" }) },
  { weight: 6, arbitrary: fc.constant({ kind: "reset" }) },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("deleteType"), type: projectionKey.type }) },
  { weight: 4, arbitrary: fc.constant({ kind: "deleteAll" }) },
);

/** Calls with a ticket that are rejected independent of the earlier calls. */
export const BAD_CALLS: readonly (readonly [method: string, path: string, body: string])[] = [
  ["POST", "/events", '{"events":['],
  ["POST", "/events", "{}"],
  ["POST", "/events", '{"events":[{"type":"t"}]}'],
  ["POST", "/events", '{"events":[],"condition":{"afterSequence":-1}}'],
  ["POST", "/events", '{"events":[],"condition":{"store":"s"}}'],
  ["POST", "/projections", "{}"],
  ["POST", "/projections", '{"create":[{"type":"p","id":"1","payload":null}]}'],
  ["POST", "/projections", '{"replace":[{"type":"p","id":"1","payload":""}]}'],
  ["QUERY", "/events", '{"query":"all"}'],
  ["QUERY", "/events", '{"query":"*","waitSeconds":1}'],
  ["QUERY", "/events", '{"query":"*","backwards":true}'],
  ["QUERY", "/events", '{"query":"*","time":{"from":"yesterday"}}'],
];
