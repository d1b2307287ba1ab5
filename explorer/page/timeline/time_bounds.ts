import type { Filter } from "../filter/filter.ts";
import type { Positions } from "./positions.ts";

/** The sequences between which the events of a time range lie. */
export interface Bounds {
  readonly after: number;
  /** Infinity for no upper bound. */
  readonly before: number;
}

/** Bounds as parts of a request. */
export function requestOf({ after, before }: Bounds): { afterSequence?: number; beforeSequence?: number } {
  return {
    ...after === 0 ? {} : { afterSequence: after },
    ...before === Infinity ? {} : { beforeSequence: Math.max(1, before) },
  };
}

/** Converts the times of a filter to sequences. */
export async function boundsOf({ from, before }: Filter, positions: Positions): Promise<Bounds> {
  return {
    after: from === undefined ? 0 : await positions.of(from),
    before: before === undefined ? Infinity : await positions.of(before) + 1,
  };
}
