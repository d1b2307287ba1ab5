import { type QueryItem, queryValues } from "../../model/query.ts";
import { termItem } from "./index_terms.ts";
import type { RecentTerms } from "./recent_terms.ts";
import type { StoreState } from "../api/state.ts";
import type { CheckedCondition, ConditionConflict } from "../api/write.ts";

/** The store that conditions are checked against: as it is before the write, including earlier events of its group. */
interface CheckedStore {
  readonly state: StoreState;
  readonly recent: RecentTerms;
  /**
   * Returns the first event after a sequence that matches one of the items. Called only when `recent` leaves this
   * open.
   */
  firstMatch(items: readonly QueryItem[], afterSequence: number): number | undefined;
}

/** Returns the first condition that does not hold. */
export function conditionConflict(
  conditions: readonly CheckedCondition[],
  store: CheckedStore,
): ConditionConflict | undefined {
  for (const [index, condition] of conditions.entries()) {
    if (isOfOtherStore(condition, store.state)) return { list: "conditions", index, cause: "otherStore" };
    const sequence = firstMatch(condition, store);
    if (sequence !== undefined) return { list: "conditions", index, cause: "eventMatches", sequence };
  }
  return undefined;
}

/**
 * True when a condition was read on another store, or at a position that this store has not reached, so its history
 * went back. The highest number is not a position in any history: it asks only for later events, and none can follow.
 */
function isOfOtherStore({ store, afterSequence }: CheckedCondition, { storeId, head }: StoreState): boolean {
  return (store !== undefined && store !== storeId) ||
    (afterSequence > head && afterSequence < Number.MAX_SAFE_INTEGER);
}

/** Returns the sequence of the first event that a condition forbids. */
function firstMatch(condition: CheckedCondition, store: CheckedStore): number | undefined {
  const { failIfEventsMatch: query, afterSequence, checked } = condition;
  const { storeId, head } = store.state;
  const known = checked?.storeId === storeId ? checked : undefined;
  if (known?.matched) return known.upTo + 1;
  const after = Math.max(afterSequence, known?.upTo ?? 0);
  if (query === "none" || head <= after) return undefined;
  if (query === "every") return after + 1;
  const suspects = suspectsAfter(after, query, store.recent, head);
  return suspects.length === 0 ? undefined : store.firstMatch(suspects, after);
}

/** With fewer values, the memory is always asked. */
const HASHED_VALUES_MIN = 64;

/** Returns the items that may match an event after a sequence, up to `head`, as far as the memory can cheaply say. */
export function suspectsAfter(
  after: number,
  items: readonly QueryItem[],
  recent: RecentTerms,
  head: number,
): readonly QueryItem[] {
  const values = queryValues(items);
  // Each value must be hashed before it can be looked up in the memory.
  const isMemoryCheaper = values < HASHED_VALUES_MIN || values < head - after;
  return isMemoryCheaper ? items.filter((item) => recent.mayMatchAfter(after, termItem(item))) : items;
}
