import { conditionConflict } from "../../check_conditions.ts";
import type { RecentTerms } from "../../recent_terms.ts";
import type { StoreState } from "../../state.ts";
import type { StoreWrite, TurnResult, WriteResult } from "../../write.ts";
import type { Database } from "../connection/database.ts";
import type { CheckBudget } from "../reading/check_budget.ts";
import { firstMatch } from "../reading/find_events.ts";
import { insertEvents } from "../tables/events.ts";
import { applyProjections, projectionConflict } from "../tables/projections.ts";
import { recordTimes } from "../tables/time_index.ts";

/**
 * Runs writes one after the other inside the open transaction, and then records the times of all their events at once.
 * @param run `runWrite` for one of them
 */
export function runTogether<R extends TurnResult>(
  db: Database,
  { head }: StoreState,
  writes: readonly StoreWrite[],
  run: (write: StoreWrite) => R,
): readonly R[] {
  const results = writes.map(run);
  const written = writes.filter((_, i) => results[i]!.kind === "written");
  recordTimes(db, head, written.flatMap(({ events }) => events));
  return results;
}

/**
 * Runs one write inside the open transaction. All checks come before the first change, so a conflict
 * leaves nothing behind and needs no savepoint. The times of its events are left to `runTogether`.
 * @param state the store before this write
 * @param budget what the search for its conditions may cost
 * @throws OverBudget when that is not enough, with nothing changed; whatever SQLite throws, and the caller rolls back
 */
export function runWrite(
  db: Database,
  recent: RecentTerms,
  state: StoreState,
  write: StoreWrite,
  budget?: CheckBudget,
): WriteResult {
  const { storeId, head } = state;
  const conflict = conditionConflict(write.conditions, {
    state,
    recent,
    firstMatch: (items, after) => firstMatch(db, items, { after, upTo: head }, budget),
  }) ?? projectionConflict(db, write.projections);
  if (conflict !== undefined) return { kind: "conflict", conflict };
  const versions = applyProjections(db, write.projections);
  insertEvents(db, head, write.events);
  for (const [i, { terms }] of write.events.entries()) recent.remember(head + 1 + i, terms);
  return { kind: "written", storeId, firstSequence: head + 1, versions };
}
