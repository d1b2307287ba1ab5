import type { Query } from "./query.ts";
import type { TimeRange } from "./time_range.ts";

/** The events that a read selects: a query, a range of sequences, an order, and a maximum number. */
export interface ReadRequest {
  readonly query: Query;
  /** The read returns events after this sequence; 0: from the first. */
  readonly afterSequence: number;
  /** The read returns events before this sequence; undefined: up to the last. */
  readonly beforeSequence?: number | undefined;
  readonly backwards?: boolean | undefined;
  /** The minimum head of the snapshot. A replica that is behind it is not read. undefined: any. */
  readonly headAtLeast?: number | undefined;
  /** undefined: any time. */
  readonly time?: TimeRange | undefined;
  /** True for events as they are stored, with encrypted payloads. */
  readonly stored?: boolean | undefined;
  /** Infinity: no limit. */
  readonly limit: number;
}
