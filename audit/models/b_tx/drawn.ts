import fc from "fast-check";
import { change, type DrawnChange, event, query } from "../../../tests/editions/a_write/operations.ts";
import type { WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { COMMON, type CommonDrawn, over, projectionKey, UNTIL_KILLED } from "../common.ts";
import { EVENT_EDGES } from "../edges.ts";
import { drawnChanges } from "../projections.ts";
import type { TxQuery } from "../../../tests/editions/b_tx/reference.ts";

/* The commands of edition B. */

const TX_EDGES = [
  ...EVENT_EDGES,
  "projections",
  "projectionSize",
  "reads",
  "items",
  "values",
  "body",
] as const;
export type TxEdge = typeof TX_EDGES[number];

/** A call on a transaction. The slot selects one of the open transactions, or one that is over. */
export type DrawnCall =
  | { readonly kind: "txRead"; readonly slot: number; readonly query: TxQuery }
  | { readonly kind: "txWrite"; readonly slot: number; readonly events: WireWrite["events"] }
  | {
    readonly kind: "decide";
    readonly slot: number;
    readonly query: TxQuery;
    readonly events: WireWrite["events"];
  }
  | { readonly kind: "txGet"; readonly slot: number; readonly type: string; readonly id: string }
  | { readonly kind: "txChange"; readonly slot: number; readonly changes: readonly DrawnChange[] }
  | { readonly kind: "commit" | "abandon"; readonly slot: number }
  | { readonly kind: "edge"; readonly slot: number; readonly edge: TxEdge; readonly over: number }
  | { readonly kind: "bad"; readonly slot: number; readonly which: number };

export type DrawnB =
  | CommonDrawn
  | DrawnCall
  | { readonly kind: "begin" | "pause" | "resume" | "optimize" | "reset" | "deleteAll" }
  /** A whole transaction, from begin to commit. */
  | { readonly kind: "transact"; readonly query: TxQuery; readonly events: WireWrite["events"] }
  | { readonly kind: "interrupted"; readonly slot: number; readonly afterMilliseconds: number }
  | { readonly kind: "change"; readonly changes: readonly DrawnChange[] }
  | { readonly kind: "changeEdge"; readonly edge: "projections" | "projectionSize"; readonly over: number }
  | { readonly kind: "fullQueue"; readonly changes: readonly (readonly DrawnChange[])[] }
  | { readonly kind: "deleteType"; readonly type: string };

const slot = fc.nat({ max: 15 });
const txQuery: fc.Arbitrary<TxQuery> = fc.oneof(
  { weight: 3, arbitrary: query },
  { weight: 1, arbitrary: fc.constant("none" as const) },
);
const events = fc.array(event, { maxLength: 3 });

export const drawnB: fc.Arbitrary<DrawnB> = fc.oneof(
  ...COMMON,
  { weight: 100, arbitrary: fc.constant({ kind: "begin" }) },
  { weight: 140, arbitrary: fc.record({ kind: fc.constant("transact"), query: txQuery, events }) },
  { weight: 140, arbitrary: fc.record({ kind: fc.constant("decide"), slot, query: txQuery, events }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("txRead"), slot, query: txQuery }) },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("txWrite"), slot, events }) },
  { weight: 80, arbitrary: fc.record({ kind: fc.constant("txGet"), slot, ...projectionKey }) },
  {
    weight: 60,
    arbitrary: fc.record({
      kind: fc.constant("txChange"),
      slot,
      changes: fc.array(change, { maxLength: 2 }),
    }),
  },
  { weight: 120, arbitrary: fc.record({ kind: fc.constant("commit"), slot }) },
  { weight: 24, arbitrary: fc.record({ kind: fc.constant("abandon"), slot }) },
  {
    weight: 1,
    arbitrary: fc.record({ kind: fc.constant("interrupted"), slot, afterMilliseconds: UNTIL_KILLED }),
  },
  {
    weight: 28,
    arbitrary: fc.record({ kind: fc.constant("edge"), slot, edge: fc.constantFrom(...TX_EDGES), over }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("bad"), slot, which: fc.nat({ max: 20 }) }) },
  { weight: 60, arbitrary: fc.record({ kind: fc.constant("change"), changes: drawnChanges }) },
  {
    weight: 12,
    arbitrary: fc.record({
      kind: fc.constant("changeEdge"),
      edge: fc.constantFrom("projections", "projectionSize"),
      over,
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("fullQueue"),
      changes: fc.array(drawnChanges, { minLength: 4, maxLength: 6 }),
    }),
  },
  { weight: 8, arbitrary: fc.record({ kind: fc.constant("deleteType"), type: projectionKey.type }) },
  { weight: 4, arbitrary: fc.constant({ kind: "deleteAll" }) },
  { weight: 14, arbitrary: fc.constant({ kind: "pause" }) },
  { weight: 24, arbitrary: fc.constant({ kind: "resume" }) },
  { weight: 4, arbitrary: fc.constant({ kind: "optimize" }) },
  { weight: 8, arbitrary: fc.constant({ kind: "reset" }) },
);

/** Calls on a transaction that end it, independent of its earlier calls. */
export const BAD_CALLS: readonly (readonly [method: string, rest: string, body: string])[] = [
  ["QUERY", "/events", '{"query":"*"}'],
  ["QUERY", "/events", '{"query":"all","limit":1}'],
  ["QUERY", "/events", '{"query":"all"} x'],
  ["POST", "/events", "{}"],
  ["POST", "/events", '{"events":null}'],
  ["POST", "/events", '{"events":[{"type":"","payload":""}]}'],
  ["POST", "/events", '{"events":[{"type":"t","payload":null}]}'],
  ["POST", "/projections", '{"create":[{"type":"p","id":"1"}]}'],
  ["POST", "/projections", '{"replace":[{"type":"p","id":"1","payload":"","version":"v"}]}'],
  ["POST", "/projections", '{"delete":[{"type":"","id":"1"}]}'],
];
