import type { Query } from "./query.ts";
import type { TimeRange } from "./time_range.ts";

/** What a read asks for: which events, between which sequences, in which order, and how many at most. */
export interface ReadRequest {
  readonly query: Query;
  /** Only events after this sequence; 0: from the first. */
  readonly afterSequence: number;
  /** Only events before this sequence; undefined: up to the last. */
  readonly beforeSequence?: number | undefined;
  /** The newest first. */
  readonly backwards?: boolean | undefined;
  /** The head that the snapshot must have at least; a replica that is behind it is not read. undefined: any. */
  readonly headAtLeast?: number | undefined;
  /** undefined: any time. */
  readonly time?: TimeRange | undefined;
  /** Infinity: all of them. */
  readonly limit: number;
}
