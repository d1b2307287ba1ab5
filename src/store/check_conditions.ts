import type { Condition } from "../model/condition.ts";
import type { QueryItem } from "../model/query.ts";
import { termItem } from "./index_terms.ts";
import type { RecentTerms } from "./recent_terms.ts";
import type { StoreState } from "./state.ts";
import type { ConditionConflict } from "./write.ts";

/** What conditions are checked against: the store as it is before the write, including earlier events of its group. */
export interface CheckedStore {
  readonly state: StoreState;
  readonly recent: RecentTerms;
  /** Whether any event after a sequence matches one of the items. Called only for what `recent` leaves open. */
  anyMatches(items: readonly QueryItem[], afterSequence: number): boolean;
}

/** The first condition that does not hold. */
export function conditionConflict(
  conditions: readonly Condition[],
  store: CheckedStore,
): ConditionConflict | undefined {
  for (const [index, condition] of conditions.entries()) {
    if (condition.store !== undefined && condition.store !== store.state.storeId) {
      return { list: "conditions", index, cause: "otherStore" };
    }
    if (!holds(condition, store)) return { list: "conditions", index, cause: "eventMatches" };
  }
  return undefined;
}

function holds({ failIfEventsMatch: query, afterSequence: after }: Condition, store: CheckedStore): boolean {
  if (query === "none" || store.state.head <= after) return true;
  if (query === "every") return false;
  const suspects = query.filter((item) => store.recent.mayMatchAfter(after, termItem(item)));
  return suspects.length === 0 || !store.anyMatches(suspects, after);
}
