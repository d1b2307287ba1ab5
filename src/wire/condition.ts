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

const QUERY_AFTER_KEYS = ["failIfEventsMatch", "afterSequence"] as const;
const CONDITION_KEYS = [...QUERY_AFTER_KEYS, "store"] as const;

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
  const { store, ...rest } = decodeObject(value, path, CONDITION_KEYS);
  if (isLeftOut(rest.afterSequence) !== isLeftOut(store)) {
    throw invalid(path, "afterSequence and store are given together or not at all");
  }
  const condition = decodeQueryAfter(rest, path, literals);
  return isLeftOut(store) ? condition : { ...condition, store: decodeNonEmptyString(store, path, "store") };
}

/**
 * Decodes the condition of edition C, which may name an `afterSequence` alone; `path` is what it is called.
 * @throws Refusal InvalidRequest
 */
export function decodeStorelessCondition(value: unknown, path: string, literals: QueryLiterals): Condition {
  return decodeQueryAfter(decodeObject(value, path, QUERY_AFTER_KEYS), path, literals);
}

function decodeQueryAfter(
  { failIfEventsMatch, afterSequence }: { readonly [key in (typeof QUERY_AFTER_KEYS)[number]]?: unknown },
  path: string,
  literals: QueryLiterals,
): Condition {
  const whenLeftOut = isLeftOut(afterSequence) ? "none" : "every";
  return {
    failIfEventsMatch: isLeftOut(failIfEventsMatch)
      ? whenLeftOut
      : decodeQuery(failIfEventsMatch, within(path, "failIfEventsMatch"), literals),
    afterSequence: decodeAfterSequence(afterSequence, path),
  };
}
