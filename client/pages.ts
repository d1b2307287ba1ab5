import { StoreReset } from "./errors.ts";
import type { Position, StoredEvent } from "./events.ts";
import { STORE_HEADER } from "./exchange.ts";
import type { Query } from "./queries.ts";
import type { Server } from "./server.ts";
import { storedEvents, type WireEvent, wireQuery } from "./wire.ts";

/** The range of matching events to read. */
export interface Range {
  readonly after?: Position | number | undefined;
  readonly before?: Position | number | undefined;
  readonly backwards?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly waitSeconds?: number | undefined;
  /** The sequence of an event that the store had. A page of a store that ends before it is not accepted. */
  readonly headAtLeast?: number | undefined;
}

/** A page whose head has been received. Its events may follow later. */
export interface OpenPage<Events extends object> {
  readonly storeId: string;
  readonly head: number;
  /** Known when all events have been received. */
  hasMore?: boolean;
  /**
   * The events in order, in the batches in which they are received. If the page breaks off, its events come before
   * the error.
   */
  batches(): AsyncGenerator<StoredEvent<Events>[]>;
}

/**
 * Requests a page, once.
 * @throws StoreReset when a position of the range belongs to another store, or the store ends before it
 */
export async function openPage<Events extends object>(
  server: Server,
  query: Query<Events>,
  { after = 0, before, backwards, limit, waitSeconds, headAtLeast = 0 }: Range,
  signal: AbortSignal | undefined,
): Promise<OpenPage<Events>> {
  const answer = await server.begin({
    method: "QUERY",
    path: "/events",
    body: {
      query: wireQuery(query, server.edition),
      afterSequence: sequenceOf(after),
      beforeSequence: before && sequenceOf(before),
      backwards,
      limit,
      waitSeconds,
      // For `after`, servers check it themselves.
      headAtLeast: headAtLeast || (before as Position | undefined)?.sequence,
    },
    waitSeconds,
    signal,
  });
  const page: OpenPage<Events> = {
    storeId: answer.header(STORE_HEADER),
    head: Number(answer.header("x-service-head")),
    async *batches() {
      for await (const lines of answer.lines()) {
        const received: WireEvent[] = [];
        for (const line of lines) {
          const value = answer.json<WireEvent | { readonly hasMore: boolean }>(line);
          if ("hasMore" in value) page.hasMore = value.hasMore;
          else received.push(value);
        }
        const events = await storedEvents<Events>(received, server);
        if (events.length) yield events;
      }
      if (page.hasMore === undefined) throw answer.lost("half a page");
    },
  };
  const { storeId, head } = page;
  for (const position of [after, before, { storeId, sequence: headAtLeast }]) {
    // A replica that lags does not answer for a position after its end. So the store itself ends before the
    // position.
    if (
      position && typeof position === "object" && (position.storeId !== storeId || position.sequence > head)
    ) {
      answer.leave();
      throw new StoreReset(position, storeId);
    }
  }
  return page;
}

/** The sequence of a position. `null` is none: `JSON.parse` returns it for a position that was never saved. */
export function sequenceOf(position: Position | number | null): number {
  return (position as Position)?.sequence ?? position ?? 0;
}

/** The position up to which a complete page that was read forwards has no gaps. It may be saved. */
export function endOf<Events extends object>(
  { storeId, head, hasMore }: OpenPage<Events>,
  { after = 0, before = Infinity }: Range,
  lastSequence = 0,
): Position {
  const reached = hasMore ? lastSequence : Math.min(head, sequenceOf(before) - 1);
  return { storeId, sequence: Math.max(sequenceOf(after), reached) };
}
