import type { Direction } from "../tables/direction.ts";
import type { CheckBudget } from "./check_budget.ts";

/** How the events that match some items are searched for. */
export interface SearchOptions {
  readonly direction: Direction;
  /** The last sequence of the store. */
  readonly head: number;
  /** How many are wanted at most; the search may find more. */
  readonly eventsMax: number;
  /** When it is used up, the search ends with OverBudget. */
  readonly budget?: CheckBudget | undefined;
}
