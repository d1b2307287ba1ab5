import type { Direction } from "../../core/ranges/direction.ts";
import type { CheckBudget } from "./check_budget.ts";
import { STEPPED_ENTRY_MICROSECONDS } from "./step_cost.ts";

export interface SearchOptions {
  readonly direction: Direction;
  readonly head: number;
  /** The most events that are wanted; the search may find more. */
  readonly eventsMax: number;
  /** The search ends with OverBudget when the budget is used up. */
  readonly budget?: CheckBudget | undefined;
}

/** Returns the most entries that a list may have between a position and the end from which FTS5 starts. */
export function entriesTo(position: number, { direction, head }: SearchOptions): number {
  return direction === "forwards" ? position : head - position;
}

/**
 * Estimates how long FTS5 takes to reach a position in a list. Only backwards, it steps over every entry before that.
 */
export function steppingMicroseconds(position: number, options: SearchOptions): number {
  return options.direction === "forwards" ? 0 : entriesTo(position, options) * STEPPED_ENTRY_MICROSECONDS;
}
