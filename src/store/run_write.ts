import type { Condition } from "../model/condition.ts";
import type { ProjectionChanges } from "../model/projection.ts";
import type { Database } from "./database.ts";
import { appendEvents, type PreparedEvent } from "./events.ts";
import { anyMatches } from "./find_events.ts";
import type { StoreState } from "./identity.ts";
import {
  applyProjections,
  type NewVersions,
  type ProjectionConflict,
  projectionConflict,
} from "./projections.ts";
import type { RecentTerms } from "./recent_terms.ts";
import { termItem } from "./tag_index.ts";

/** One member of a write group: checked completely, then written completely, or not at all. */
export interface StoreWrite {
  readonly conditions: readonly Condition[];
  readonly projections: ProjectionChanges;
  readonly events: readonly PreparedEvent[];
}

/** A condition that no longer holds: which one, and why. */
export interface ConditionConflict {
  readonly list: "conditions";
  readonly index: number;
  readonly cause: "eventMatches" | "otherStore";
}

export type Conflict = ConditionConflict | ProjectionConflict;

/** What a write of the group came to, provided that the transaction commits. */
export type WriteResult =
  | { readonly kind: "committed"; readonly firstSequence: number; readonly versions: NewVersions }
  | { readonly kind: "conflict"; readonly conflict: Conflict };

/**
 * Runs one write inside the open transaction. All checks come before the first change, so a conflict
 * leaves nothing behind and needs no savepoint.
 * @param state the store before this write
 * @throws whatever SQLite throws; the caller rolls back
 */
export function runWrite(
  db: Database,
  recent: RecentTerms,
  state: StoreState,
  write: StoreWrite,
): WriteResult {
  const conflict = conditionConflict(db, recent, state, write.conditions) ??
    projectionConflict(db, write.projections);
  if (conflict !== undefined) return { kind: "conflict", conflict };
  const versions = applyProjections(db, write.projections);
  appendEvents(db, state.head, write.events);
  for (const [i, { terms }] of write.events.entries()) recent.remember(state.head + 1 + i, terms);
  return { kind: "committed", firstSequence: state.head + 1, versions };
}

function conditionConflict(
  db: Database,
  recent: RecentTerms,
  state: StoreState,
  conditions: readonly Condition[],
): ConditionConflict | undefined {
  for (const [index, condition] of conditions.entries()) {
    if (condition.store !== undefined && condition.store !== state.storeId) {
      return { list: "conditions", index, cause: "otherStore" };
    }
    if (!conditionHolds(db, recent, state.head, condition)) {
      return { list: "conditions", index, cause: "eventMatches" };
    }
  }
  return undefined;
}

function conditionHolds(db: Database, recent: RecentTerms, head: number, condition: Condition): boolean {
  const { failIfEventsMatch: query, afterSequence: after } = condition;
  if (query === "none") return true;
  if (query === "every") return head <= after;
  if (head <= after) return true;
  const suspects = query.filter((item) => recent.mayMatchAfter(after, termItem(item)));
  return !anyMatches(db, suspects, { after, head });
}
