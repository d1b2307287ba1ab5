import type { Filter } from "../filter/filter.ts";
import { type Edition, everything, type Query, queryOf } from "../filter/query.ts";
import type { ReadPage } from "../store/store_calls.ts";
import { timeOf } from "../store/stored_event.ts";
import { type Axis, axisOf, type Bar } from "./axis.ts";
import { countAll } from "./count_all.ts";
import { COUNTED_MAX, MatchCount } from "./match_count.ts";
import { type Bounds, boundsOf, timeSearchOf } from "./time_bounds.ts";
import type { KnownTimes, TimeSearch } from "./time_search.ts";

/** The most single events that one count reads. */
const READS_MAX = 24;

export interface Counted {
  readonly axis: Axis;
  readonly bars: readonly Bar[];
  /** True when another count improves the estimates. */
  readonly canBeBetter: boolean;
}

/** Counts the matching events of a filter over time, with one request at a time. */
export class TimelineCount {
  readonly #read: ReadPage;
  readonly #filter: Filter;
  readonly #everything: Query;
  readonly #query: Query;
  readonly #search: TimeSearch;
  #bounds: Bounds | undefined;
  #matches: MatchCount | undefined;

  constructor(read: ReadPage, filter: Filter, edition: Edition, known: KnownTimes) {
    this.#read = read;
    this.#filter = filter;
    this.#everything = everything(edition);
    this.#query = queryOf(filter, edition);
    this.#search = timeSearchOf(read, edition, known);
  }

  /** Counts, or updates the count. Returns undefined while the store is empty. */
  async look(): Promise<Counted | undefined> {
    const newest = await this.#read({ query: this.#everything, backwards: true, limit: 1 });
    const last = newest.events[0];
    if (last === undefined) return undefined;
    this.#search.known.learn(last.sequence, timeOf(last));
    const bounds = this.#bounds ??= await boundsOf(this.#filter, this.#search, last.sequence);
    const begin = this.#filter.from ?? await this.#search.timeOf(1);
    const axis = axisOf(begin, this.#filter.before ?? endBehind(timeOf(last), begin));
    const end = Math.min(bounds.before, last.sequence + 1);
    if (this.#filter.alternatives.length === 0 && end - bounds.after > COUNTED_MAX) {
      const bars = await countAll(this.#search, axis, bounds.after + 1, end, READS_MAX);
      const isWhole = this.#filter.from === undefined && this.#filter.before === undefined;
      return { axis, bars, canBeBetter: isWhole && bars.some(({ isEstimated }) => isEstimated) };
    }
    this.#matches ??= new MatchCount(this.#read, this.#query, bounds, this.#search.known, this.#filter.from);
    await this.#matches.look();
    return { axis, bars: this.#matches.barsOn(axis), canBeBetter: false };
  }
}

/** The end of an axis that begins at `begin`: after the last event, or now if there is none after `begin`. */
function endBehind(last: number, begin: number): number {
  return Math.max(last < begin ? Date.now() : last + 1, begin + 100);
}
