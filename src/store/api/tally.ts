import type { StoreState } from "./state.ts";

/** Events that follow a sequence, counted up to another one. */
export interface Tally extends StoreState {
  /** The last event that is counted, or the sequence from the request when there is none. */
  readonly last: number;
  /** Its time in microseconds since 1970; undefined when none is counted. */
  readonly lastTimeMicros: number | undefined;
  readonly kinds: readonly Kind[];
}

/** The counted events of one type whose identifiers have the same names. */
export interface Kind {
  readonly type: string;
  /** The names of the identifiers, each once. */
  readonly identifiers: readonly string[];
  readonly count: number;
  /** Sequences of the first and the last of them. */
  readonly first: number;
  readonly last: number;
}
