import type { Projection } from "./reference_content.ts";

/** The number of ended transactions, by how they ended. */
export type Ends = Record<"committed" | "client" | "error" | "expired" | "shutdown" | "reset", number>;
export type Counts = Ends & Record<"started" | "appendsFailed", number>;

/** The state that every client can read without a ticket. */
export interface Surface {
  readonly store: number;
  readonly lines: readonly string[];
  readonly projection: Projection | undefined;
  readonly paused: boolean;
  /** The number of calls of the active transaction; undefined without one. */
  readonly calls: number | undefined;
  readonly queued: readonly string[];
  readonly httpOpen: number;
  readonly counts: Counts;
  /** The settings of the deadlines that were reached. */
  readonly warnings: readonly string[];
}

export function freshCounts(): Counts {
  return {
    started: 0,
    committed: 0,
    client: 0,
    error: 0,
    expired: 0,
    shutdown: 0,
    reset: 0,
    appendsFailed: 0,
  };
}
