import type { Filter } from "../filter/filter.ts";
import type { ListRange } from "../download/event_file.ts";
import { type Edition, queryOf } from "../filter/query.ts";
import type { Seen } from "../filter/seen.ts";
import type { EventsPage, EventsRequest, ReadPage, StoreCalls } from "../store/store_calls.ts";
import { type StoredEvent, timeOf } from "../store/stored_event.ts";
import type { Positions } from "../timeline/positions.ts";
import { type Bounds, boundsOf, requestOf } from "../timeline/time_bounds.ts";
import { CachedEvents } from "./cached_events.ts";

/** The filter, order and first position of a list of events. */
export interface FeedRequest {
  readonly filter: Filter;
  readonly isOldestFirst: boolean;
  readonly position: number | undefined;
}

const FIRST_PAGE = 100;
const NEXT_PAGE = 400;

/** The events of one request, page after page, in the order in which they are shown. */
export class EventFeed {
  readonly #kept = new CachedEvents();
  /** The newest sequence that the first page covers. The Follower reads later events. */
  head = 0;
  isAtEnd = false;
  /** True when the last page could not be read. */
  hasFailed = false;
  readonly query: ReturnType<typeof queryOf>;
  readonly #calls: StoreCalls;
  readonly #seen: Seen;
  readonly #request: FeedRequest;
  readonly #positions: Positions;
  readonly #ending = new AbortController();
  readonly #readPage: ReadPage = (request) => this.#calls.events(request, this.#ending.signal);
  #bounds: Bounds | undefined;
  #reading: Promise<void> | undefined;

  constructor(calls: StoreCalls, edition: Edition, seen: Seen, positions: Positions, request: FeedRequest) {
    this.#calls = calls;
    this.#seen = seen;
    this.#request = request;
    this.#positions = positions;
    this.query = queryOf(request.filter, edition);
  }

  get events(): readonly StoredEvent[] {
    return this.#kept.all;
  }

  /** True when the memory limit is reached. The store may hold more events. */
  get isFull(): boolean {
    return this.#kept.isFull;
  }

  stop(): void {
    this.#ending.abort();
  }

  get isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  /** True when future events belong at the beginning of the list. */
  get canFollow(): boolean {
    const { filter, isOldestFirst, position } = this.#request;
    // Without the first page, `head` is unknown, and so are the new events.
    if (this.hasFailed) return false;
    return !isOldestFirst && position === undefined && filter.before === undefined;
  }

  /** Reads the next page, if there is one. Waits for a page that is already being read. */
  async more(): Promise<void> {
    if (this.isAtEnd || this.isFull || this.isStopped) return;
    this.#reading ??= this.#read().finally(() => this.#reading = undefined);
    await this.#reading;
  }

  /** The range of the whole list, also of what is not read yet. */
  async range(): Promise<ListRange> {
    const { isOldestFirst } = this.#request;
    return { query: this.query, isOldestFirst, ...await this.#boundsOf() };
  }

  /**
   * Reads the sequence of the event after or before one in the order of the list. Neither needs to be among the events
   * that are read.
   */
  async neighbourOf(sequence: number, by: 1 | -1): Promise<number | undefined> {
    const { query, isOldestFirst, after, before } = await this.range();
    const isLater = isOldestFirst === (by === 1);
    const bounds = isLater
      ? { after: Math.max(after, sequence), before }
      : { after, before: Math.min(before, sequence) };
    const order = isLater ? {} : { backwards: true };
    const { events } = await this.#readPage({ query, limit: 1, ...requestOf(bounds), ...order });
    return events[0]?.sequence;
  }

  /** Adds new events at the beginning of the list. @param events oldest first */
  prepend(events: readonly StoredEvent[]): void {
    for (const event of events) this.#seen.add(event);
    // The filter's time range may begin in the future.
    const { from = -Infinity } = this.#request.filter;
    this.#kept.prepend(events.filter((event) => timeOf(event) >= from).reverse());
  }

  async #read(): Promise<void> {
    this.#bounds ??= await this.#boundsOf();
    const { isOldestFirst } = this.#request;
    const last = this.events.at(-1)?.sequence;
    const { after, before } = this.#bounds;
    const from = isOldestFirst ? last ?? after : after;
    const to = isOldestFirst ? before : last ?? before;
    const request: EventsRequest = {
      query: this.query,
      limit: last === undefined ? FIRST_PAGE : NEXT_PAGE,
      ...requestOf({ after: from, before: to }),
      ...isOldestFirst ? {} : { backwards: true },
    };
    const page = await this.#readPage(request);
    this.#add(page, last === undefined);
  }

  #add({ events, hasMore, head }: EventsPage, isFirst: boolean): void {
    if (isFirst) this.head = head;
    // New events have meanwhile removed the end of the list, which this page would have continued.
    if (this.isFull) return;
    for (const event of events) this.#seen.add(event);
    this.#kept.append(events);
    this.isAtEnd = !hasMore && !this.isFull;
  }

  /** The sequences between which the list lies, from its times and its position. */
  async #boundsOf(): Promise<Bounds> {
    const { isOldestFirst, position } = this.#request;
    const { after, before } = await this.timeBounds();
    if (position === undefined) return { after, before };
    return isOldestFirst
      ? { after: Math.max(after, position - 1), before }
      : { after, before: Math.min(before, position + 1) };
  }

  /** The sequences of the filter's time range. */
  async timeBounds(): Promise<Bounds> {
    return await boundsOf(this.#request.filter, this.#positions);
  }
}
