import { StoreReset } from "./errors.ts";
import type { Position, StoredEvent } from "./events.ts";
import type { Query } from "./queries.ts";
import type { Server } from "./server.ts";
import { storedEvent, type WireEvent, wireQuery } from "./wire.ts";

/** Which part of what matches is wanted. */
export interface Range {
  readonly after?: Position | number | undefined;
  readonly before?: Position | number | undefined;
  readonly backwards?: boolean | undefined;
  readonly limit?: number | undefined;
  readonly waitSeconds?: number | undefined;
  /** Of an event that the store had: a page of a store that ends before it is none. */
  readonly headAtLeast?: number | undefined;
}

/** A page of which the head has arrived, and the events may still be on their way. */
export interface OpenPage<Events extends object> {
  readonly storeId: string;
  readonly head: number;
  /** Known when all events have arrived. */
  hasMore?: boolean;
  /** The events in order, as many at a time as arrive. Those of a page that breaks off come before its error. */
  batches(): AsyncGenerator<StoredEvent<Events>[]>;
}

/**
 * Asks for a page, once.
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
      // For `after`, servers see to it themselves.
      headAtLeast: headAtLeast || (before as Position | undefined)?.sequence,
    },
    waitSeconds,
    signal,
  });
  const page: OpenPage<Events> = {
    storeId: answer.header("x-service-store"),
    head: Number(answer.header("x-service-head")),
    async *batches() {
      for await (const lines of answer.lines()) {
        const events = [];
        for (const line of lines) {
          const value = answer.json<WireEvent | { readonly hasMore: boolean }>(line);
          if ("hasMore" in value) page.hasMore = value.hasMore;
          else events.push(storedEvent<Events>(value, server.payload));
        }
        if (events.length) yield events;
      }
      if (page.hasMore === undefined) throw answer.lost("half a page");
    },
  };
  const { storeId, head } = page;
  for (const position of [after, before, { storeId, sequence: headAtLeast }]) {
    // Replicas may lag, but none that ends before a position answers: then the store itself does.
    if (typeof position === "object" && (position.storeId !== storeId || position.sequence > head)) {
      answer.leave();
      throw new StoreReset(position, storeId);
    }
  }
  return page;
}

/** The number in a position. */
export function sequenceOf(position: Position | number): number {
  return typeof position === "object" ? position.sequence : position;
}

/** How far a complete page goes that was not read backwards: what may be saved. */
export function endOf<Events extends object>(
  { storeId, head, hasMore }: OpenPage<Events>,
  { after = 0, before = Infinity }: Range,
  lastSequence = 0,
): Position {
  const reached = hasMore ? lastSequence : Math.min(head, sequenceOf(before) - 1);
  return { storeId, sequence: Math.max(sequenceOf(after), reached) };
}
