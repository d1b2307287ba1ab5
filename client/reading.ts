import type { Position, StoredEvent } from "./events.ts";
import type { CallOptions } from "./options.ts";
import { endOf, OpenPage, type Range } from "./pages.ts";
import type { Query } from "./queries.ts";
import { Retries } from "./retries.ts";
import type { Server } from "./server.ts";

/** Which of the events that match are wanted. */
export interface ReadAllOptions extends CallOptions {
  /** Only events after this sequence; with a position, only of its store. Default 0. */
  readonly after?: Position | number;
  /** Only events before this sequence. */
  readonly before?: Position | number;
  /** The newest events first. */
  readonly backwards?: boolean;
  /** How many events the server sends at a time. Default and most: its settings. */
  readonly limit?: number;
}

/** Which page of the events that match is wanted. */
export interface ReadOptions extends ReadAllOptions {
  /** How long the server waits for an event if there is none, 0 to 60. Not with `backwards`. */
  readonly waitSeconds?: number;
}

/** Some of the events that match, newest first, and what else is known. */
export interface BackwardsPage<Events extends object = Record<string, unknown>> {
  /** In the order of the read. */
  readonly events: readonly StoredEvent<Events>[];
  /** Whether more events match, in the direction of the read. */
  readonly hasMore: boolean;
  /** The end of the store when the page was begun: a good `after` of a condition on what the page says. */
  readonly head: Position;
  /** The ID of the store. */
  readonly storeId: string;
}

/** Some of the events that match, in order, and how far they go. */
export interface Page<Events extends object = Record<string, unknown>> extends BackwardsPage<Events> {
  /** Up to here nothing that matches is missing: read on from it, or save it. */
  readonly position: Position;
}

/** One page, read again while the server cannot be reached. */
export async function readPage<Events extends object>(
  server: Server,
  query: Query<Events>,
  { signal, ...range }: Range & CallOptions,
): Promise<Page<Events>> {
  const retries = new Retries(server.retrySeconds, signal);
  for (;;) {
    try {
      const page = await OpenPage.open(server, query, range, signal);
      const events = await page.all();
      const { storeId, hasMore } = page;
      const read = { events, hasMore, head: { storeId, sequence: page.head }, storeId };
      const position = endOf(page, range, events.at(-1)?.sequence);
      // Nobody may save how far a page went that began at the end; the types do not show it either.
      return (range.backwards ? read : { ...read, position }) as Page<Events>;
    } catch (error) {
      await retries.after(error);
    }
  }
}

/** Where the store ends at present. */
export async function readHead(server: Server, { signal }: CallOptions): Promise<Position> {
  // Nothing is after the highest sequence, so that no event is read.
  const { head } = await readPage(server, "*", { after: Number.MAX_SAFE_INTEGER, limit: 1, signal });
  return head;
}

/**
 * All events that match, page after page, up to the end of the store when the last page was read. After a page
 * that broke off it goes on behind the last complete event.
 */
export async function* readEvery<Events extends object>(
  server: Server,
  query: Query<Events>,
  { signal, ...range }: ReadAllOptions,
): AsyncGenerator<StoredEvent<Events>, void> {
  const retries = new Retries(server.retrySeconds, signal);
  let { after = 0, before } = range;
  for (;;) {
    try {
      const page = await OpenPage.open(server, query, { ...range, after, before }, signal);
      const { storeId } = page;
      // From the first page on, all must be of one store.
      if (typeof after === "number") after = { storeId, sequence: after };
      for await (const events of page.batches()) {
        retries.reset();
        for (const event of events) {
          const reached = { storeId, sequence: event.sequence };
          if (range.backwards) before = reached;
          else after = reached;
          yield event;
        }
      }
      if (!page.hasMore) return;
    } catch (error) {
      await retries.after(error);
    }
  }
}
