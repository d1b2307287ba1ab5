import type { Condition } from "../model/condition.ts";
import {
  decodeAfterSequence,
  decodeArray,
  decodeNonEmptyString,
  decodeObject,
  invalid,
  isLeftOut,
  within,
} from "./decode.ts";
import { decodeQuery, type QueryLiterals } from "./query.ts";

const CONDITION_KEYS = ["failIfEventsMatch", "afterSequence", "store"] as const;

/**
 * Decodes the conditions of edition A; `path` is what their array is called.
 * @throws Refusal InvalidRequest
 */
export function decodeConditions(value: unknown, path: string, literals: QueryLiterals): Condition[] {
  return decodeArray(value, "", path).map((element, i) =>
    decodeCondition(element, `${path}[${i}]`, literals)
  );
}

function decodeCondition(value: unknown, path: string, literals: QueryLiterals): Condition {
  const { failIfEventsMatch, afterSequence, store } = decodeObject(value, path, CONDITION_KEYS);
  if (isLeftOut(afterSequence) !== isLeftOut(store)) {
    throw invalid(path, "afterSequence and store are given together or not at all");
  }
  const whenLeftOut = isLeftOut(afterSequence) ? "none" : "every";
  const condition: Condition = {
    failIfEventsMatch: isLeftOut(failIfEventsMatch)
      ? whenLeftOut
      : decodeQuery(failIfEventsMatch, within(path, "failIfEventsMatch"), literals),
    afterSequence: decodeAfterSequence(afterSequence, path),
  };
  return isLeftOut(store) ? condition : { ...condition, store: decodeNonEmptyString(store, path, "store") };
}
