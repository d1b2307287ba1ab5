import type { Position, StoredEvent, TypeOf } from "./events.ts";
import type { CallOptions } from "./options.ts";
import { endOf, openPage } from "./pages.ts";
import type { Query } from "./queries.ts";
import { repeated, retriesFor } from "./retries.ts";
import type { Server } from "./server.ts";

/** The range of matching events to read. */
export interface ReadAllOptions extends CallOptions {
  /** Only events after this sequence. A position also requires the same store. Default 0. */
  readonly after?: Position | number;
  /** Only events before this sequence. */
  readonly before?: Position | number;
  /** The newest events first. */
  readonly backwards?: boolean;
  /** The most events that the server sends at a time. The server's settings give the default and the maximum. */
  readonly limit?: number;
}

/** The page of matching events to read. */
export interface ReadOptions extends ReadAllOptions {
  /** How long the server waits for an event if there is none, in seconds, 0 to 60. Not with `backwards`. */
  readonly waitSeconds?: number;
}

/** A page of matching events, newest first. */
export interface BackwardsPage<
  Events extends object = Record<string, unknown>,
  Type extends TypeOf<Events> = TypeOf<Events>,
> {
  /** In the order of the read. */
  readonly events: readonly StoredEvent<Events, Type>[];
  /** True if more events match, in the direction of the read. */
  readonly hasMore: boolean;
  /** The end of the store when the page was begun. Use it as `after` of a condition that depends on the page. */
  readonly head: Position;
  /** The ID of the store. */
  readonly storeId: string;
}

/** A page of matching events, in order, and the position after it. */
export interface Page<
  Events extends object = Record<string, unknown>,
  Type extends TypeOf<Events> = TypeOf<Events>,
> extends BackwardsPage<Events, Type> {
  /** No event that matches is missing up to here. Continue to read from it, or save it. */
  readonly position: Position;
}

/** Reads one page, again if the server cannot be reached. */
export function readPage<Events extends object>(
  server: Server,
  query: Query<Events>,
  { signal, ...range }: ReadOptions,
): Promise<Page<Events>> {
  return repeated(retriesFor(server, signal), async () => {
    const page = await openPage(server, query, range, signal);
    const events: StoredEvent<Events>[] = [];
    for await (const batch of page.batches()) events.push(...batch);
    const { storeId, hasMore } = page;
    const read = { events, hasMore, head: { storeId, sequence: page.head }, storeId };
    const position = endOf(page, range, events.at(-1)?.sequence);
    // A page that was read backwards has no position to save, so its type has none either.
    return (range.backwards ? read : { ...read, position }) as Page<Events>;
  });
}
