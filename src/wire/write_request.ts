import type { Write } from "../model/write.ts";
import { decodeConditions } from "./condition.ts";
import { checkCount, decodeArray, decodeObject, isLeftOut } from "./decode.ts";
import { decodeEvents } from "./event.ts";
import { countProjectionChanges, decodeProjectionChanges } from "./projection.ts";
import type { QueryLiterals } from "./query.ts";

export interface WriteLimits {
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
export function decodeWrite(value: unknown, literals: QueryLiterals, limits: WriteLimits): Write {
  const write = decodeObject(value, "", WRITE_KEYS);
  const events = decodeList(write.events, "events");
  const conditions = decodeList(write.conditions, "conditions");
  const projectionCount = countProjectionChanges(write.projections, "projections");
  checkCount(events.length, "events", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(conditions.length, "conditions", "maxEventsPerWrite", limits.maxEventsPerWrite);
  checkCount(projectionCount, "projections", "maxProjectionsPerWrite", limits.maxProjectionsPerWrite);
  return {
    events: decodeEvents(events, "events", limits),
    conditions: decodeConditions(conditions, "conditions", literals),
    projections: decodeProjectionChanges(write.projections, "projections", limits),
  };
}

function decodeList(value: unknown, name: string): readonly unknown[] {
  return isLeftOut(value) ? [] : decodeArray(value, "", name);
}
