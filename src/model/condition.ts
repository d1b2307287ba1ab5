import type { Query } from "./query.ts";

/**
 * What must still hold when a write gets its turn: no event after `afterSequence` matches
 * `failIfEventsMatch`, and the store is the one that the client read.
 */
export interface Condition {
  readonly failIfEventsMatch: Query;
  /** 0 when the client gave none: every committed event then counts. */
  readonly afterSequence: number;
  /** The store ID on which the client read; compared before the query. */
  readonly store?: string;
}
