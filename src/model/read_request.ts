import type { Query } from "./query.ts";
import type { TimeRange } from "./time_range.ts";

/** What a read asks for: which events, after which sequence, and how many at most. */
export interface ReadRequest {
  readonly query: Query;
  /** Only events after this sequence; 0: from the first. */
  readonly afterSequence: number;
  /** undefined: any time. */
  readonly time?: TimeRange | undefined;
  /** Infinity: all of them. */
  readonly limit: number;
}
