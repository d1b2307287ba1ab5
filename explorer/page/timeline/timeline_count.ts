import type { Filter } from "../filter/filter.ts";
import { type Edition, everything, type Query, queryOf } from "../filter/query.ts";
import type { ReadPage } from "../store/store_calls.ts";
import { timeOf } from "../store/stored_event.ts";
import { type Axis, axisOf, type Bar } from "./axis.ts";
import { MatchCount } from "./match_count.ts";
import type { Positions } from "./positions.ts";
import { type Bounds, boundsOf } from "./time_bounds.ts";

/** The requests that are sent at once. A browser has six connections to the explorer. */
const REQUESTS_AT_ONCE = 5;

export interface Counted {
  readonly axis: Axis;
  readonly bars: readonly Bar[];
}

/** Counts the matching events of a filter over time. */
export class TimelineCount {
  readonly #seesAll: boolean;
  readonly #read: ReadPage;
  readonly #filter: Filter;
  readonly #everything: Query;
  readonly #query: Query;
  readonly #positions: Positions;
  #bounds: Bounds | undefined;
  #begin: number | undefined;
  #matches: MatchCount | undefined;

  /** @param seesAll false when the token sees only some events, so that their sequences have gaps */
  constructor(read: ReadPage, filter: Filter, edition: Edition, positions: Positions, seesAll = true) {
    this.#seesAll = seesAll;
    this.#read = read;
    this.#filter = filter;
    this.#everything = everything(edition);
    this.#query = queryOf(filter, edition);
    this.#positions = positions;
  }

  /** Counts, or updates the count. Returns undefined while the store is empty. */
  async look(): Promise<Counted | undefined> {
    const newest = await this.#read({ query: this.#everything, backwards: true, limit: 1 });
    const last = newest.events[0];
    if (last === undefined) return undefined;
    this.#positions.head = last.sequence;
    const bounds = this.#bounds ??= await boundsOf(this.#filter, this.#positions);
    const begin = this.#begin ??= this.#filter.from ?? await this.#firstTime();
    const axis = axisOf(begin, this.#filter.before ?? endBehind(timeOf(last), begin));
    const end = Math.min(bounds.before - 1, last.sequence);
    if (this.#filter.alternatives.length === 0 && this.#seesAll) {
      const edges = await edgesOf(axis, bounds.after, end, this.#positions);
      return { axis, bars: barsBetween(edges, axis) };
    }
    this.#matches ??= new MatchCount(this.#read, this.#query, bounds, this.#filter.from);
    await this.#matches.look();
    // Without estimates, no edge is needed.
    const edges = this.#matches.isExact ? [] : await edgesOf(axis, bounds.after, end, this.#positions);
    return { axis, bars: this.#matches.barsOn(axis, edges) };
  }

  async #firstTime(): Promise<number> {
    const { events } = await this.#read({ query: this.#everything, limit: 1 });
    return timeOf(events[0]!);
  }
}

/** The positions of the edges of the bars, from `first` to `last`. */
async function edgesOf(
  { from, width, bars }: Axis,
  first: number,
  last: number,
  positions: Positions,
): Promise<number[]> {
  const edges = [first];
  for (let i = 1; i < bars; i += REQUESTS_AT_ONCE) {
    const next = Array.from(
      { length: Math.min(REQUESTS_AT_ONCE, bars - i) },
      (_, n) => from + (i + n) * width,
    );
    edges.push(...await Promise.all(next.map((time) => positions.of(time))));
  }
  edges.push(last);
  // After a clock was set back, a later time may have an earlier position.
  for (let i = 1; i < edges.length; i++) edges[i] = Math.min(last, Math.max(edges[i - 1]!, edges[i]!));
  return edges;
}

/** The bars of all events of the store. Their sequences have no gaps, so their edges suffice. */
function barsBetween(edges: readonly number[], { from, width }: Axis): Bar[] {
  return edges.slice(1).map((edge, i) => ({
    from: from + i * width,
    before: from + (i + 1) * width,
    count: edge - edges[i]!,
    isEstimated: false,
  }));
}

/** The end of an axis that begins at `begin`: after the last event, or now if there is none after `begin`. */
function endBehind(last: number, begin: number): number {
  return Math.max(last < begin ? Date.now() : last + 1, begin + 100);
}
