import { conditionConflict } from "../../check_conditions.ts";
import type { RecentTerms } from "../../recent_terms.ts";
import type { StoreState } from "../../state.ts";
import type { StoreWrite, WriteResult } from "../../write.ts";
import type { Database } from "../connection/database.ts";
import type { CheckBudget } from "../reading/check_budget.ts";
import { anyMatches } from "../reading/find_events.ts";
import { appendEvents } from "../tables/events.ts";
import { applyProjections, projectionConflict } from "../tables/projections.ts";

/**
 * Runs one write inside the open transaction. All checks come before the first change, so a conflict
 * leaves nothing behind and needs no savepoint.
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
    anyMatches: (items, after) => anyMatches(db, items, { after, upTo: head }, budget),
  }) ?? projectionConflict(db, write.projections);
  if (conflict !== undefined) return { kind: "conflict", conflict };
  const versions = applyProjections(db, write.projections);
  appendEvents(db, head, write.events);
  for (const [i, { terms }] of write.events.entries()) recent.remember(head + 1 + i, terms);
  return { kind: "written", storeId, firstSequence: head + 1, versions };
}
