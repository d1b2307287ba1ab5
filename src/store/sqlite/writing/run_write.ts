import type { QueryItem } from "../../../model/query.ts";
import { conditionConflict, suspectsAfter } from "../../core/check_conditions.ts";
import type { RecentTerms } from "../../core/recent_terms.ts";
import type { StoreState } from "../../api/state.ts";
import type { AttemptResult, StoreWrite, WriteResult } from "../../api/write.ts";
import type { Database } from "../connection/database.ts";
import type { CheckBudget } from "../reading/check_budget.ts";
import { firstMatch } from "../reading/find_events.ts";
import { applyProjections, projectionConflict } from "../tables/projections.ts";
import { NewEvents } from "./new_events.ts";

/**
 * Runs writes one after the other inside the open transaction.
 * @param run `runWrite` for one of them
 */
export function runTogether<R extends AttemptResult>(
  db: Database,
  { head }: StoreState,
  writes: readonly StoreWrite[],
  run: (write: StoreWrite, newEvents: NewEvents) => R,
): readonly R[] {
  const newEvents = new NewEvents(db, head);
  const results = writes.map((write) => run(write, newEvents));
  newEvents.append();
  return results;
}

/**
 * Runs one write inside the open transaction. All checks come before the first change, so a conflict leaves nothing
 * behind and needs no savepoint. Its events are added to `newEvents`.
 * @param state the store before this write
 * @param newEvents those of the transaction so far
 * @param budget the limit on the cost of checking its conditions
 * @throws OverBudget when that is not enough, with nothing of the write done; any error of SQLite, and the caller
 *   rolls back
 */
export function runWrite(
  db: Database,
  recent: RecentTerms,
  state: StoreState,
  write: StoreWrite,
  newEvents: NewEvents,
  budget?: CheckBudget,
): WriteResult {
  const { storeId, head } = state;
  const mayBeNew = (items: readonly QueryItem[], after: number): boolean => {
    const known = Math.max(after, newEvents.appendedUpTo);
    return known < head && suspectsAfter(known, items, recent, head).length > 0;
  };
  const search = (items: readonly QueryItem[], after: number): number | undefined => {
    if (mayBeNew(items, after)) {
      newEvents.append();
      // That was work for the writes before this one.
      budget?.skipTime();
    }
    const upTo = newEvents.appendedUpTo;
    return after < upTo ? firstMatch(db, items, { after, upTo }, budget) : undefined;
  };
  const conflict = conditionConflict(write.conditions, { state, recent, firstMatch: search }) ??
    projectionConflict(db, write.projections);
  if (conflict !== undefined) return { kind: "conflict", conflict };
  const versions = applyProjections(db, write.projections);
  newEvents.add(write.events);
  for (const [i, { terms }] of write.events.entries()) recent.remember(head + 1 + i, terms);
  return { kind: "written", storeId, firstSequence: head + 1, versions };
}
