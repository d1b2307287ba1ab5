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
 * What a write rests on. `after`: no event after this sequence matches. `found`: the events that match are exactly
 * these.
 */
export type Condition =
  | { readonly query: AskedQuery; readonly after: number }
  | { readonly query: AskedQuery; readonly found: readonly number[] };

export interface WriteCall {
  readonly kind: "write";
  readonly conditions: readonly Condition[];
  /** How many events. */
  readonly events: number;
  readonly outcome:
    /** Not every edition tells the sequences. */
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
  /** How many events the store had. Reads within a transaction of edition B do not tell. */
  readonly head: number | undefined;
}

/** A call with the moments at which it began and ended, in one count of all such moments. */
export type Call = (WriteCall | ReadCall) & {
  readonly id: number;
  readonly begun: number;
  readonly ended: number;
};

/** What several clients did at the same time, and the log that came of it. */
export interface History {
  readonly calls: readonly Call[];
  readonly log: readonly LoggedEvent[];
}
