import type { Condition } from "../../src/model/condition.ts";
import type { NewEvent } from "../../src/model/event.ts";
import { matches } from "../../src/model/query.ts";
import type { ConditionConflict } from "../../src/store/api/write.ts";

/**
 * The first condition that fails, by `matches()` alone. It fails on the first of the stored events that matches, or
 * because its position is one that the store has not reached.
 */
export function firstBroken(
  events: readonly NewEvent[],
  conditions: readonly Condition[],
): ConditionConflict | undefined {
  for (const [index, { failIfEventsMatch, afterSequence }] of conditions.entries()) {
    const isReached = afterSequence <= events.length || afterSequence === Number.MAX_SAFE_INTEGER;
    if (!isReached) return { list: "conditions", index, cause: "otherStore" };
    const place = events.findIndex((event, i) => i >= afterSequence && matches(failIfEventsMatch, event));
    if (place >= 0) return { list: "conditions", index, cause: "eventMatches", sequence: place + 1 };
  }
  return undefined;
}
