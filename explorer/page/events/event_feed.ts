import { type Edition, everything, type Filter, queryOf } from "../filter/filter.ts";
import type { Seen } from "../filter/seen.ts";
import type { EventsPage, EventsRequest, StoreCalls } from "../store/store_calls.ts";
import { type StoredEvent, timeOf } from "../store/stored_event.ts";
import { TimeSearch } from "../timeline/time_search.ts";

/** What is shown, in which order, and from where. */
export interface FeedRequest {
  readonly filter: Filter;
  readonly isOldestFirst: boolean;
  readonly position: number | undefined;
}

/** So many events are kept; who wants to see more begins at another position. */
const EVENTS_MAX = 100_000;
const FIRST_PAGE = 100;
const NEXT_PAGE = 400;

/** Of a payload, what a row shows; the whole is read when the event is opened. */
const PREVIEW_CHARACTERS = 400;

export function previewOf(event: StoredEvent): StoredEvent {
  if (event.payload.length <= PREVIEW_CHARACTERS) return event;
  return { ...event, payload: event.payload.slice(0, PREVIEW_CHARACTERS) };
}

/** Reads single events for a search by time. */
export function timeSearchOf(calls: StoreCalls, edition: Edition): TimeSearch {
  return new TimeSearch(async (sequence) => {
    const page = await calls.events({ query: everything(edition), afterSequence: sequence - 1, limit: 1 });
    const event = page.events[0];
    return event?.sequence === sequence ? timeOf(event) : Infinity;
  });
}

/** The events of one request, page after page, in the order in which they are shown. */
export class EventFeed {
  readonly events: StoredEvent[] = [];
  /** The newest sequence that has been considered; what comes later is for whoever follows. */
  head = 0;
  isAtEnd = false;
  isFull = false;
  /** The last page could not be read. */
  hasFailed = false;
  readonly query: ReturnType<typeof queryOf>;
  readonly #calls: StoreCalls;
  readonly #seen: Seen;
  readonly #request: FeedRequest;
  readonly #search: TimeSearch;
  readonly #ending = new AbortController();
  #bounds: { after: number; before: number } | undefined;
  #reading: Promise<void> | undefined;

  constructor(calls: StoreCalls, edition: Edition, seen: Seen, search: TimeSearch, request: FeedRequest) {
    this.#calls = calls;
    this.#seen = seen;
    this.#request = request;
    this.#search = search;
    this.query = queryOf(request.filter, edition);
  }

  stop(): void {
    this.#ending.abort();
  }

  get isStopped(): boolean {
    return this.#ending.signal.aborted;
  }

  /** Whether events that are yet to come belong to what is shown, at its beginning. */
  get canFollow(): boolean {
    const { filter, isOldestFirst, position } = this.#request;
    // Without its first page, nobody knows what is new.
    if (this.hasFailed) return false;
    return !isOldestFirst && position === undefined && filter.before === undefined;
  }

  /** Reads the next page, unless one is being read or there is none. */
  async more(): Promise<void> {
    if (this.isAtEnd || this.isFull || this.isStopped) return;
    this.#reading ??= this.#read().finally(() => this.#reading = undefined);
    await this.#reading;
  }

  /** Puts events that have just come where they belong; oldest first. */
  prepend(events: readonly StoredEvent[]): void {
    for (const event of events) this.#seen.add(event);
    // The time may begin later than now.
    const { from = -Infinity } = this.#request.filter;
    this.events.unshift(...events.filter((event) => timeOf(event) >= from).map(previewOf).reverse());
    if (this.events.length > EVENTS_MAX) {
      this.events.length = EVENTS_MAX;
      this.isFull = true;
    }
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
      ...from === 0 ? {} : { afterSequence: from },
      ...to === Infinity ? {} : { beforeSequence: Math.max(1, to) },
      ...isOldestFirst ? {} : { backwards: true },
    };
    const page = await this.#calls.events(request, this.#ending.signal);
    this.#add(page, last === undefined);
  }

  #add({ events, hasMore, head }: EventsPage, isFirst: boolean): void {
    if (isFirst) this.head = head;
    // What came meanwhile has cut off the end that these were to follow.
    if (this.isFull) return;
    for (const event of events) {
      this.#seen.add(event);
      this.events.push(previewOf(event));
    }
    this.isAtEnd = !hasMore;
    this.isFull = this.events.length >= EVENTS_MAX;
  }

  /** Times become sequences. */
  async #boundsOf(): Promise<{ after: number; before: number }> {
    const { filter: { from, before }, isOldestFirst, position } = this.#request;
    let [after, until] = [0, Infinity];
    if (from !== undefined || before !== undefined) {
      const { head } = await this.#calls.events({ query: this.query, limit: 1, afterSequence: 2 ** 52 });
      if (from !== undefined) after = await this.#search.firstFrom(from, head) - 1;
      if (before !== undefined) until = await this.#search.firstFrom(before, head);
    }
    if (position !== undefined && isOldestFirst) after = Math.max(after, position - 1);
    if (position !== undefined && !isOldestFirst) until = Math.min(until, position + 1);
    return { after, before: until };
  }
}
