import type { QueryItem } from "../../../model/query.ts";
import type { FoundEvents } from "../../core/chunks/chunk_search.ts";
import type { Range } from "../../core/ranges/direction.ts";

export interface Step extends FoundEvents {
  /** The estimated time of the step, on an idle machine and with a warm cache. */
  readonly microseconds: number;
  /** The continuation, for a search that resumes elsewhere after an event of this step. */
  readonly window?: Window | undefined;
}

/** The result of a search so far, for the events `after < sequence <= upTo`. */
export interface Window extends Range {
  /** The number of items that were looked up in the index. */
  readonly itemsDone: number;
  /** The events that may match these items, in the order of the search once all items are done; or that all may. */
  readonly candidates: readonly number[] | "every";
  /** The conditions that the candidates must still be checked for. */
  readonly unchecked: "nothing" | "everything" | QueryItem;
}
