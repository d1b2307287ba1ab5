import type { Condition } from "../model/condition.ts";
import { decodeAfterSequence, decodeObject, isOmitted } from "./decode.ts";
import { withPath } from "./invalid.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

export const CONDITION_KEYS = ["failIfEventsMatch", "afterSequence"] as const;

/** Decodes a condition on the events of a store; `path` is its name. @throws ApiError InvalidRequest */
export function decodeCondition(value: unknown, path: string, literals: QueryLiterals): Condition {
  const { failIfEventsMatch, afterSequence } = decodeObject(value, path, CONDITION_KEYS);
  const whenOmitted = isOmitted(afterSequence) ? "none" : "every";
  return {
    failIfEventsMatch: isOmitted(failIfEventsMatch)
      ? whenOmitted
      : decodeQuery(failIfEventsMatch, withPath(path, "failIfEventsMatch"), literals),
    afterSequence: decodeAfterSequence(afterSequence, path),
  };
}
