import fc from "fast-check";
import type { ReferenceStore, TagObject, WireQuery, WireWrite } from "./reference.ts";

/*
 * Random operations. Positions and versions depend on the state of the store. They are drawn as a distance or a
 * choice and filled in just before the operation runs, so that they stay meaningful after shrinking.
 */

interface DrawnCondition {
  readonly query: WireQuery | undefined;
  /** The distance of `afterSequence` from the head of the store; undefined: omits `afterSequence` and `store`. */
  readonly back: number | undefined;
  readonly wrongStore: boolean;
}

export interface DrawnChange {
  readonly kind: "create" | "replace" | "delete";
  readonly type: string;
  readonly id: string;
  readonly payload: string;
  readonly staleVersion: boolean;
}

export interface DrawnWrite {
  readonly kind: "write";
  readonly events: WireWrite["events"];
  readonly conditions: readonly DrawnCondition[];
  readonly changes: readonly DrawnChange[];
}

/** The operations that take a turn. */
export type TurnOperation =
  | DrawnWrite
  | { readonly kind: "deleteType"; readonly type: string }
  | { readonly kind: "deleteAll" }
  | { readonly kind: "reset" };

export type Operation =
  | TurnOperation
  | { readonly kind: "group"; readonly members: readonly TurnOperation[] }
  | { readonly kind: "read"; readonly query: WireQuery; readonly back: number; readonly limit: number }
  | { readonly kind: "get"; readonly type: string; readonly id: string };

const rarely = fc.integer({ min: 0, max: 7 }).map((n) => n === 7);
const types = fc.constantFrom("opened", "closed", "moved");
const names = fc.constantFrom("a", "b", "__", "\u{10000}");
const values = fc.constantFrom("1", "2", "3", "");
const tags: fc.Arbitrary<TagObject> = fc.dictionary(
  names,
  fc.oneof(values, fc.uniqueArray(values, { minLength: 1, maxLength: 3 })),
  { maxKeys: 3, noNullPrototype: true },
);
export const event = fc.record({
  type: types,
  identifiers: tags,
  metadata: tags,
  payload: fc.string({ maxLength: 5 }),
});

const entries = fc.array(fc.record({ name: names, value: values }), { minLength: 1, maxLength: 2 });
const item = fc.record(
  { types: fc.array(types, { minLength: 1, maxLength: 2 }), identifiers: entries, metadata: entries },
  { requiredKeys: [] },
).filter((drawn) => Object.keys(drawn).length > 0);
export const query: fc.Arbitrary<WireQuery> = fc.oneof(
  { weight: 1, arbitrary: fc.constant("*" as const) },
  { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 1 }) },
  { weight: 3, arbitrary: fc.array(item, { minLength: 1, maxLength: 3 }) },
);

const condition: fc.Arbitrary<DrawnCondition> = fc.record({
  query: fc.option(query, { nil: undefined, freq: 8 }),
  back: fc.option(fc.integer({ min: -1, max: 5 }), { nil: undefined, freq: 5 }),
  wrongStore: rarely,
});

export const PROJECTION_TYPES = ["p", "p/q"] as const;
export const PROJECTION_IDS = ["q/1", ".."] as const;
const projectionTypes = fc.constantFrom(...PROJECTION_TYPES);
const ids = fc.constantFrom(...PROJECTION_IDS);
export const change: fc.Arbitrary<DrawnChange> = fc.record({
  kind: fc.constantFrom("create", "create", "create", "replace", "replace", "delete"),
  type: projectionTypes,
  id: ids,
  payload: fc.string({ maxLength: 5 }),
  staleVersion: rarely,
});

export const write: fc.Arbitrary<DrawnWrite> = fc.record({
  kind: fc.constant("write"),
  events: fc.array(event, { maxLength: 3 }),
  conditions: fc.array(condition, { maxLength: 2 }),
  changes: fc.array(change, { maxLength: 2 }),
});

const turn: fc.Arbitrary<TurnOperation> = fc.oneof(
  { weight: 20, arbitrary: write },
  { weight: 1, arbitrary: fc.record({ kind: fc.constant("deleteType"), type: projectionTypes }) },
  { weight: 1, arbitrary: fc.constant({ kind: "deleteAll" }) },
  { weight: 1, arbitrary: fc.constant({ kind: "reset" }) },
);

const operation: fc.Arbitrary<Operation> = fc.oneof(
  { weight: 8, arbitrary: turn },
  {
    weight: 3,
    arbitrary: fc.record({
      kind: fc.constant("group"),
      members: fc.array(turn, { minLength: 2, maxLength: 6 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      query,
      back: fc.integer({ min: -1, max: 300 }),
      limit: fc.integer({ min: 1, max: 8 }),
    }),
  },
  { weight: 2, arbitrary: fc.record({ kind: fc.constant("get"), type: projectionTypes, id: ids }) },
);

export const operations: fc.Arbitrary<Operation[]> = fc.array(operation, { minLength: 1, maxLength: 25 });

/** Events in the store before the first operation: none, or too many for the server to compare one by one. */
export const bulk: fc.Arbitrary<WireWrite["events"]> = fc.oneof(
  { weight: 1, arbitrary: fc.constant([]) },
  { weight: 4, arbitrary: fc.array(event, { minLength: 100, maxLength: 100 }) },
);

/** Builds the body of a drawn write for the present state of the store. */
export function toBody(drawn: DrawnWrite, reference: ReferenceStore): WireWrite {
  const versionOf = (item: DrawnChange): string =>
    item.staleVersion ? crypto.randomUUID() : reference.projection(item)?.version ?? crypto.randomUUID();
  const of = (kind: DrawnChange["kind"]): readonly DrawnChange[] =>
    drawn.changes.filter((item) => item.kind === kind);
  return {
    events: drawn.events,
    conditions: drawn.conditions.map(({ query, back, wrongStore }) => ({
      ...query === undefined ? {} : { failIfEventsMatch: query },
      ...back === undefined ? {} : {
        afterSequence: Math.max(0, reference.events.length - back),
        store: wrongStore ? crypto.randomUUID() : reference.storeId,
      },
    })),
    projections: {
      create: of("create").map(({ type, id, payload }) => ({ type, id, payload })),
      replace: of("replace").map((item) => {
        const { type, id, payload } = item;
        return { type, id, payload, version: versionOf(item) };
      }),
      delete: of("delete").map((item) => ({ type: item.type, id: item.id, version: versionOf(item) })),
    },
  };
}
