import type { QueryItem } from "../../../model/query.ts";
import type { EventRow } from "../tables/events.ts";
import type { Range } from "../../ranges/range.ts";

/** A short piece of a search. It may have found nothing. */
export interface Step {
  /** Events that match, in the order of the search. */
  readonly rows: readonly EventRow[];
  /** The position up to which everything that matches has been found. */
  readonly reached: number;
  /** How long the step takes by experience, on an idle machine and with a warm cache. */
  readonly microseconds: number;
  /** What the search would have to find out again if it were continued elsewhere after an event of this step. */
  readonly window?: Window | undefined;
}

/** What is known about the events `after < sequence <= upTo`. */
export interface Window extends Range {
  /** How many items the index has been asked about. */
  readonly itemsDone: number;
  /** The events that may match these items, in the order of the search once all items are done; or that all may. */
  readonly candidates: readonly number[] | "every";
  /** What the candidates must still be checked for. */
  readonly unchecked: "nothing" | "everything" | QueryItem;
}
