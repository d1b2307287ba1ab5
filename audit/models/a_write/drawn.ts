import fc from "fast-check";
import { type DrawnWrite, event, write } from "../../../tests/editions/a_write/operations.ts";
import type { WireWrite } from "../../../tests/editions/a_write/reference.ts";
import { COMMON, type CommonDrawn, over, projectionKey, UNTIL_KILLED } from "../common.ts";
import { EVENT_EDGES } from "../edges.ts";

/* The commands of edition A. */

const WRITE_EDGES = [
  ...EVENT_EDGES,
  "conditions",
  "projections",
  "projectionSize",
  "items",
  "values",
  "body",
] as const;
export type WriteEdge = typeof WRITE_EDGES[number];

export type DrawnA =
  | CommonDrawn
  | DrawnWrite
  | { readonly kind: "edge"; readonly edge: WriteEdge; readonly over: number }
  | { readonly kind: "bad"; readonly which: number }
  | {
    readonly kind: "interrupted";
    readonly events: WireWrite["events"];
    readonly afterMilliseconds: number;
  }
  | { readonly kind: "fullQueue"; readonly writes: readonly DrawnWrite[] }
  | { readonly kind: "deleteType"; readonly type: string }
  | { readonly kind: "deleteAll" | "reset" };

export const drawnA: fc.Arbitrary<DrawnA> = fc.oneof(
  ...COMMON,
  { weight: 240, arbitrary: write },
  { weight: 160, arbitrary: write.map((drawn) => ({ ...drawn, conditions: [], changes: [] })) },
  {
    weight: 60,
    arbitrary: fc.record({ kind: fc.constant("edge"), edge: fc.constantFrom(...WRITE_EDGES), over }),
  },
  { weight: 20, arbitrary: fc.record({ kind: fc.constant("bad"), which: fc.nat({ max: 20 }) }) },
  {
    weight: 1,
    arbitrary: fc.record({
      kind: fc.constant("interrupted"),
      events: fc.array(event, { minLength: 1, maxLength: 5 }),
      afterMilliseconds: UNTIL_KILLED,
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ kind: fc.constant("fullQueue"), writes: fc.array(write, { maxLength: 6 }) }),
  },
  { weight: 12, arbitrary: fc.record({ kind: fc.constant("deleteType"), type: projectionKey.type }) },
  { weight: 4, arbitrary: fc.constant({ kind: "deleteAll" }) },
  { weight: 4, arbitrary: fc.constant({ kind: "reset" }) },
);

/** Bodies of a write that are rejected independent of the content of the store. */
export const BAD_BODIES = [
  "",
  "[]",
  "{} x",
  '{"other":[]}',
  '{"events":[{"type":"","payload":""}]}',
  '{"events":[{"type":"t"}]}',
  '{"events":[{"type":"t","payload":null}]}',
  '{"events":[{"type":"t","payload":"","sequence":1}]}',
  '{"events":[{"type":"t","payload":"","identifiers":{"a":[]}}]}',
  '{"events":[{"type":"t","payload":"","identifiers":{"a":["b","b"]}}]}',
  '{"events":[{"type":"t","payload":"\\ud800"}]}',
  '{"conditions":[{"failIfEventsMatch":[]}]}',
  '{"conditions":[{"afterSequence":1}]}',
  '{"conditions":[{"store":"s"}]}',
  '{"conditions":[{"afterSequence":-1,"store":"s"}]}',
  '{"projections":{"create":[{"type":"p","id":"1"}]}}',
  '{"projections":{"replace":[{"type":"p","id":"1","payload":""}]}}',
  '{"projections":{"delete":[{"type":"p","id":"1","version":"v","payload":""}]}}',
];
