import type { Direction } from "../../ranges/direction.ts";
import type { CheckBudget } from "./check_budget.ts";
import { STEPPED_ENTRY_MICROSECONDS } from "./step_cost.ts";

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

/** How many entries a list has at most between a position and the end at which FTS5 begins to look for it. */
export function entriesTo(position: number, { direction, head }: SearchOptions): number {
  return direction === "forwards" ? position : head - position;
}

/** How long it may take to come to a position in a list. Only backwards, FTS5 steps over all that lies before it. */
export function steppingMicroseconds(position: number, options: SearchOptions): number {
  return options.direction === "forwards" ? 0 : entriesTo(position, options) * STEPPED_ENTRY_MICROSECONDS;
}
