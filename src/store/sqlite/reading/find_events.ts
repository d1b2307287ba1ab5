import type { QueryItem } from "../../../model/query.ts";
import type { ChunkSearch } from "../../core/chunks/chunk_search.ts";
import type { Database } from "../connection/database.ts";
import { positionBehind, type Range } from "../../core/ranges/direction.ts";
import { rangesInTime } from "../tables/time_index.ts";
import type { CheckBudget } from "./check_budget.ts";
import { batchesOf } from "./event_batches.ts";
import { ItemSearch } from "./item_search.ts";
import type { Step, Window } from "./step.ts";
import { rowsMicroseconds } from "./step_cost.ts";

export interface Search extends ChunkSearch {
  readonly head: number;
  /** The continuation from an earlier chunk of the same page. */
  readonly window?: Window | undefined;
  /**
   * In a write transaction that must be short: the limit on the cost of the search. The search then takes smaller
   * steps.
   */
  readonly budget?: CheckBudget | undefined;
}

/**
 * Finds the events that a search asks for, in its order, and maybe others at other times. The caller stops asking when
 * it has enough, or when it has taken too long. Runs inside the caller's transaction.
 */
export function* findEvents(db: Database, search: Search): Generator<Step> {
  const { query, time, range, direction } = search;
  if (query === "none") return;
  const eventsMax = time === undefined ? search.limit : Infinity;
  const parts = time === undefined ? [range] : rangesInTime(db, range, time, direction);
  if (query === "every") {
    for (const part of parts) {
      for (const rows of batchesOf(db, part, direction, eventsMax)) {
        const reached = positionBehind(rows.at(-1)!.sequence, direction);
        yield { rows, reached, microseconds: rowsMicroseconds(rows) };
      }
    }
    return;
  }
  const items = new ItemSearch(db, query, { ...search, eventsMax });
  let { window } = search;
  for (const part of parts) {
    yield* items.stepsIn(part, window);
    window = undefined;
  }
}

/**
 * Returns the sequence of the first event of the range that matches one of the items.
 * @throws OverBudget when the search uses up its budget before it has the answer
 */
export function firstMatch(
  db: Database,
  items: readonly QueryItem[],
  range: Range,
  budget?: CheckBudget,
): number | undefined {
  const search: Search = {
    query: items,
    time: undefined,
    range,
    direction: "forwards",
    head: range.upTo,
    limit: 1,
    budget,
  };
  for (const { rows: [first] } of findEvents(db, search)) if (first !== undefined) return first.sequence;
  return undefined;
}
