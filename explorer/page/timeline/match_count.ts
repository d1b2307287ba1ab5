import type { Query } from "../filter/query.ts";
import type { EventsPage, ReadPage } from "../store/store_calls.ts";
import { timeOf } from "../store/stored_event.ts";
import type { Axis, Bar } from "./axis.ts";
import { type Bounds, requestOf } from "./time_bounds.ts";

/*
 * An exact count requires reading all matches. So the newest matches are read and counted. Older ones, if there are
 * very many, are estimated: the store is divided into parts, and the first matches of each part give its density.
 */

const NEWEST_PAGES = 6;
const NEWEST_LIMIT = 500;
const PARTS = 10;
const PART_LIMIT = 100;
const FOLLOWED_PAGES = 3;

/** At most so many matches are counted one by one. */
export const COUNTED_MAX = NEWEST_PAGES * NEWEST_LIMIT;

/** A range of sequences whose matches were not read. */
interface Unread {
  readonly after: number;
  readonly last: number;
  /** The estimated matches per sequence. */
  readonly density: number;
}

/** Counts the matches of a query over time. Takes at most 16 requests, then one to three for an update. */
export class MatchCount {
  readonly #read: ReadPage;
  readonly #query: Query;
  readonly #bounds: Bounds;
  readonly #from: number;
  #times: number[] = [];
  #unread: Unread[] = [];
  /** The newest sequence that the count covers. */
  #head: number | undefined;

  /** @param from earlier events do not count; in milliseconds since 1970, possibly in the future */
  constructor(read: ReadPage, query: Query, bounds: Bounds, from = -Infinity) {
    this.#read = read;
    this.#query = query;
    this.#bounds = bounds;
    this.#from = from;
  }

  /** Counts, or adds the events since the last call. */
  async look(): Promise<void> {
    if (this.#head !== undefined && await this.#follow(this.#head)) return;
    this.#head = undefined;
    this.#times = [];
    this.#unread = [];
    await this.#countNewest();
  }

  /** True when every match was read. */
  get isExact(): boolean {
    return this.#unread.length === 0;
  }

  /** @param edges the positions of the edges of the bars, if not every match was read */
  barsOn({ from, width, bars }: Axis, edges: readonly number[]): Bar[] {
    const counts = Array<number>(bars).fill(0);
    for (const time of this.#times) {
      // After a clock was set back, events may lie outside the time range that their sequences span.
      counts[Math.min(bars - 1, Math.max(0, Math.floor((time - from) / width)))]! += 1;
    }
    return counts.map((count, i) => {
      const [begin = 0, end = 0] = [edges[i], edges[i + 1]];
      let unread = 0;
      for (const { after, last, density } of this.#unread) {
        unread += density * Math.max(0, Math.min(end, last) - Math.max(begin, after));
      }
      return {
        from: from + i * width,
        before: from + (i + 1) * width,
        count: Math.round(count + unread),
        isEstimated: unread > 0,
      };
    });
  }

  async #countNewest(): Promise<void> {
    const { after, before } = this.#bounds;
    let reached = before;
    let head: number | undefined;
    let hasMore = true;
    for (let i = 0; hasMore && i < NEWEST_PAGES; i++) {
      const page = await this.#page(after, reached, NEWEST_LIMIT, true);
      head ??= Math.min(page.head, before - 1);
      hasMore = page.hasMore;
      reached = page.events.at(-1)?.sequence ?? reached;
    }
    const edge = (n: number): number => after + Math.floor((reached - 1 - after) * n / PARTS);
    for (let part = 0; hasMore && part < PARTS; part++) {
      if (edge(part) < edge(part + 1)) await this.#sample(edge(part), edge(part + 1));
    }
    // Only now, so that a count that failed on the way begins again.
    this.#head = head;
  }

  async #sample(after: number, last: number): Promise<void> {
    const { events, hasMore } = await this.#page(after, last + 1, PART_LIMIT, false);
    if (!hasMore) return;
    const reached = events.at(-1)!.sequence;
    this.#unread.push({ after: reached, last, density: events.length / (reached - after) });
  }

  /** Adds new events. Returns false when there are so many that a new count is cheaper. */
  async #follow(head: number): Promise<boolean> {
    for (let i = 0; i < FOLLOWED_PAGES; i++) {
      const page = await this.#page(head, this.#bounds.before, NEWEST_LIMIT, false);
      head = this.#head = page.hasMore ? page.events.at(-1)!.sequence : Math.max(head, page.head);
      if (!page.hasMore) return true;
    }
    return false;
  }

  async #page(after: number, before: number, limit: number, backwards: boolean): Promise<EventsPage> {
    const page = await this.#read({
      query: this.#query,
      limit,
      ...requestOf({ after, before }),
      ...backwards ? { backwards } : {},
    });
    for (const event of page.events) if (timeOf(event) >= this.#from) this.#times.push(timeOf(event));
    return page;
  }
}
