/*
 * A history as the checker reads it: one operation a line, as JSON. Times are microseconds of one clock. Operations
 * that overlap in time, even at a single moment, may have happened in any order.
 */

interface Timed {
  readonly client: number;
  readonly call: number;
  /** For people: any JSON. It appears in the account of a violation. */
  readonly note?: unknown;
}

/**
 * The condition is broken by an event that has all of these tags (null: every event) and comes after a sequence (0) of
 * a store (any).
 */
export interface WriteCondition {
  readonly after?: number;
  /** The alternative to `after`: the condition holds while the events with these tags are exactly these. */
  readonly found?: readonly number[];
  readonly store?: string;
  readonly tags: readonly string[] | null;
}

export interface WriteOperation extends Timed {
  readonly op: "write";
  /** Null when it was never answered: it may happen at any time after the call, or never. */
  readonly return: number | null;
  readonly input: {
    readonly condition?: WriteCondition | null;
    readonly conditions?: readonly WriteCondition[];
    readonly events: readonly { readonly label: string; readonly tags: readonly string[] }[];
  };
  readonly output:
    | { readonly kind: "written"; readonly store?: string; readonly sequences?: readonly number[] }
    /** The broken condition and the first event that breaks it, if the server reports them. */
    | { readonly kind: "conflict"; readonly condition?: number; readonly sequence?: number }
    /** Certainly not written. */
    | { readonly kind: "nothing" }
    /**
     * Whatever the answer was: it may happen at any time after the call, or never. With a store, it can only have
     * happened in that one, at a sequence greater than `after`.
     */
    | { readonly kind: "unknown"; readonly store?: string; readonly after?: number };
}

export interface ReadOperation extends Timed {
  readonly op: "read";
  readonly return: number;
  readonly input: {
    readonly tags: readonly string[] | null;
    readonly after: number;
    readonly limit?: number;
    readonly backwards?: boolean;
    /** The head was the current one at some moment between call and return. Otherwise it may be any earlier head. */
    readonly strict?: boolean;
    /** The head may be an earlier one, also where reads are taken as strict (`isStrict` of the checker). */
    readonly mayLag?: boolean;
  };
  readonly output: {
    readonly store?: string;
    /** A strict read may leave it out. */
    readonly head?: number;
    readonly events: readonly (readonly [sequence: number, label: string])[];
    readonly hasMore?: boolean;
  };
}

/** The history went back: a new store begins with the first events of the current one. */
export interface ForkOperation extends Timed {
  readonly op: "fork";
  readonly return: number;
  readonly input: Readonly<Record<string, never>>;
  readonly output: { readonly store: string; readonly kept: number };
}

export type Operation = WriteOperation | ReadOperation | ForkOperation;
