import type { Tag } from "../../src/model/tag.ts";

/** An item of a query on the wire. */
export interface AskedItem {
  readonly types?: readonly string[];
  readonly identifiers?: readonly Tag[];
}

export type AskedQuery = "every" | readonly AskedItem[];

/** An event of the log. Its payload is the number of the call that wrote it. */
export interface LoggedEvent {
  readonly sequence: number;
  readonly type: string;
  readonly identifiers: readonly Tag[];
  readonly call: number;
}

/**
 * The condition of a write. `after`: no event after this sequence matches. `found`: the events that match are exactly
 * these.
 */
export type Condition =
  | { readonly query: AskedQuery; readonly after: number }
  | { readonly query: AskedQuery; readonly found: readonly number[] };

export interface WriteCall {
  readonly kind: "write";
  readonly conditions: readonly Condition[];
  /** The number of events. */
  readonly events: number;
  readonly outcome:
    /** Undefined in editions that do not report the sequences. */
    | { readonly kind: "accepted"; readonly sequences: readonly number[] | undefined }
    /** The condition that no longer holds, and the first event that it forbids. */
    | { readonly kind: "conflict"; readonly condition: number; readonly sequence: number }
    | { readonly kind: "takenBack" };
}

export interface ReadCall {
  readonly kind: "read";
  readonly query: AskedQuery;
  readonly after: number;
  readonly limit: number;
  readonly isBackwards: boolean;
  readonly sequences: readonly number[];
  readonly hasMore: boolean;
  /** The head of the store. Reads within a transaction of edition B do not report it. */
  readonly head: number | undefined;
}

/** A call with the moments at which it began and ended, in one count of all such moments. */
export type Call = (WriteCall | ReadCall) & {
  readonly id: number;
  readonly begun: number;
  readonly ended: number;
};

/** The calls of several clients at the same time, and the resulting log. */
export interface History {
  readonly calls: readonly Call[];
  readonly log: readonly LoggedEvent[];
}
