import type { Position, StoredEvent } from "./events.ts";
import type { CallOptions } from "./options.ts";
import { endOf, openPage } from "./pages.ts";
import type { Query } from "./queries.ts";
import { repeated, retriesFor } from "./retries.ts";
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
  { signal, ...range }: ReadOptions,
): Promise<Page<Events>> {
  return await repeated(retriesFor(server.retrySeconds, signal), async () => {
    const page = await openPage(server, query, range, signal);
    const events: StoredEvent<Events>[] = [];
    for await (const batch of page.batches()) events.push(...batch);
    const { storeId, hasMore } = page;
    const read = { events, hasMore, head: { storeId, sequence: page.head }, storeId };
    const position = endOf(page, range, events.at(-1)?.sequence);
    // Nobody may save how far a page went that began at the end; the types do not show it either.
    return (range.backwards ? read : { ...read, position }) as Page<Events>;
  });
}
