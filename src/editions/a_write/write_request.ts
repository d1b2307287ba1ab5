import type { Condition } from "../../model/condition.ts";
import type { NewEvent } from "../../model/event.ts";
import type { ProjectionChanges } from "../../model/projection.ts";
import { CONDITION_KEYS, decodeCondition } from "../../wire/condition.ts";
import {
  checkCount,
  decodeArray,
  decodeNonEmptyString,
  decodeObject,
  invalid,
  isOmitted,
} from "../../wire/decode.ts";
import { decodeEvents } from "../../wire/event.ts";
import { countProjectionChanges, decodeProjectionChanges } from "../../wire/projection.ts";
import type { QueryLiterals } from "../../wire/query.ts";

/** The strings that stand for a query in this edition. */
export const LITERALS: QueryLiterals = new Map([["*", "every"]]);

/** Everything that becomes durable together, or not at all. */
export interface Write {
  readonly events: readonly NewEvent[];
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
}

interface WriteLimits {
  readonly maxEventSize: number;
  readonly maxProjectionSize: number;
  /** Bounds the events and, separately, the conditions. */
  readonly maxEventsPerWrite: number;
  readonly maxProjectionsPerWrite: number;
}

const WRITE_KEYS = ["events", "conditions", "projections"] as const;

/**
 * Decodes the body of edition A's `POST /write`. All counts are checked before the first item.
 * @throws Refusal InvalidRequest or PayloadTooLarge
 */
export function decodeWrite(value: unknown, limits: WriteLimits): Write {
  const write = decodeObject(value, "", WRITE_KEYS);
  const events = decodeList(write.events, "events");
  const conditions = decodeList(write.conditions, "conditions");
  const projectionCount = countProjectionChanges(write.projections, "projections");
  checkCount(events.length, "events", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(conditions.length, "conditions", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(projectionCount, "projections", "maxProjectionsPerWrite", limits.maxProjectionsPerWrite);
  return {
    events: decodeEvents(events, "events", limits),
    conditions: conditions.map((value, i) => decodeStoreCondition(value, `conditions[${i}]`)),
    projections: decodeProjectionChanges(write.projections, "projections", limits),
  };
}

function decodeList(value: unknown, name: string): readonly unknown[] {
  return isOmitted(value) ? [] : decodeArray(value, "", name);
}

/** A condition that must name the store on which its client read whenever it names a position in it. */
function decodeStoreCondition(value: unknown, path: string): Condition {
  const { store, ...rest } = decodeObject(value, path, [...CONDITION_KEYS, "store"]);
  if (isOmitted(rest.afterSequence) !== isOmitted(store)) {
    throw invalid(path, "afterSequence and store must be given together or not at all");
  }
  const condition = decodeCondition(rest, path, LITERALS);
  return isOmitted(store) ? condition : { ...condition, store: decodeNonEmptyString(store, path, "store") };
}
