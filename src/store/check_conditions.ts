import { type QueryItem, queryValues } from "../model/query.ts";
import { termItem } from "./index_terms.ts";
import type { RecentTerms } from "./recent_terms.ts";
import type { StoreState } from "./state.ts";
import type { CheckedCondition, ConditionConflict } from "./write.ts";

/** What conditions are checked against: the store as it is before the write, including earlier events of its group. */
export interface CheckedStore {
  readonly state: StoreState;
  readonly recent: RecentTerms;
  /** The first event after a sequence that matches one of the items. Asked for only what `recent` leaves open. */
  firstMatch(items: readonly QueryItem[], afterSequence: number): number | undefined;
}

/** The first condition that does not hold. */
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
 * Whether a condition was read on another store, or at a position that this one has not reached: its history went back.
 * The highest number is no position of any history. It asks for nothing but what comes after everything.
 */
function isOfOtherStore({ store, afterSequence }: CheckedCondition, { storeId, head }: StoreState): boolean {
  return (store !== undefined && store !== storeId) ||
    (afterSequence > head && afterSequence < Number.MAX_SAFE_INTEGER);
}

/** The sequence of the first event that a condition forbids. */
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

/** Which of the items may match an event after a sequence, up to `head`, as far as the memory can cheaply tell. */
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
