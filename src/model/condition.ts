import type { Query } from "./query.ts";

/**
 * The requirements when a write gets its turn: no event after `afterSequence` matches `failIfEventsMatch`, and the
 * store is the one that the client read.
 */
export interface Condition {
  readonly failIfEventsMatch: Query;
  /** 0 when the client gave none: every committed event then counts. */
  readonly afterSequence: number;
  /** The ID of the store that the client read. It is compared before the query. */
  readonly store?: string;
}
