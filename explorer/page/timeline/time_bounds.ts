import type { Filter } from "../filter/filter.ts";
import { type Edition, everything } from "../filter/query.ts";
import type { ReadPage } from "../store/store_calls.ts";
import { timeOf } from "../store/stored_event.ts";
import { type KnownTimes, TimeSearch } from "./time_search.ts";

/** The sequences between which the events of a time range lie. */
export interface Bounds {
  readonly after: number;
  /** Infinity for no upper bound. */
  readonly before: number;
}

/** Reads single events for a search by time. */
export function timeSearchOf(read: ReadPage, edition: Edition, known: KnownTimes): TimeSearch {
  return new TimeSearch(known, async (sequence) => {
    const page = await read({ query: everything(edition), afterSequence: sequence - 1, limit: 1 });
    const event = page.events[0];
    return event?.sequence === sequence ? timeOf(event) : Infinity;
  });
}

/** Converts the times of a filter to sequences. */
export async function boundsOf({ from, before }: Filter, search: TimeSearch, head: number): Promise<Bounds> {
  return {
    after: from === undefined ? 0 : await search.firstFrom(from, head) - 1,
    before: before === undefined ? Infinity : await search.firstFrom(before, head),
  };
}
