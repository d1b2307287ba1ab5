import type { Condition } from "../model/condition.ts";
import type { NewEvent } from "../model/event.ts";
import { EVENTS_PER_CALL_MAX } from "../model/limits.ts";
import type { ProjectionChanges } from "../model/projection.ts";
import { decodeStorelessCondition } from "./condition.ts";
import { checkCount, decodeArray, decodeObject, invalid, isLeftOut, isObject, overLimit } from "./decode.ts";
import { decodeEvents } from "./event.ts";
import { countProjectionChanges, decodeProjectionChanges } from "./projection.ts";
import type { QueryLiterals } from "./query.ts";

/** The body of edition C's `POST /events`. */
export interface Append {
  readonly events: readonly NewEvent[];
  readonly condition: Condition | undefined;
}

/** @throws Refusal InvalidRequest or PayloadTooLarge */
export function decodeAppend(
  value: unknown,
  literals: QueryLiterals,
  limits: { readonly maxEventSize: number },
): Append {
  const { events, condition } = decodeObject(value, "", ["events", "condition"]);
  const count = decodeArray(events, "", "events").length;
  if (count > EVENTS_PER_CALL_MAX) {
    throw overLimit("", `request carries ${count} events, more than ${EVENTS_PER_CALL_MAX}`);
  }
  return {
    events: decodeEvents(events, "events", limits),
    condition: isLeftOut(condition) ? undefined : decodeStorelessCondition(condition, "condition", literals),
  };
}

/** The body of edition C's `POST /projections`. @throws Refusal InvalidRequest or PayloadTooLarge */
export function decodeChanges(
  value: unknown,
  limits: { readonly maxProjectionSize: number; readonly maxProjectionsPerRequest: number },
): ProjectionChanges {
  const count = countProjectionChanges(value, "");
  if (isObject(value) && Object.values(value).every(isLeftOut)) {
    throw invalid("", "at least one of create, replace and delete must be there");
  }
  checkCount(count, "projections", "maxProjectionsPerRequest", limits.maxProjectionsPerRequest);
  return decodeProjectionChanges(value, "", limits);
}
