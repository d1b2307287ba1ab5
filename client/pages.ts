import { StoreReset } from "./errors.ts";
import type { Position, StoredEvent } from "./events.ts";
import type { Exchange } from "./exchange.ts";
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
}

/** A page of which the head has arrived, and the events may still be on their way. */
export class OpenPage<Events extends object> {
  readonly storeId: string;
  readonly head: number;
  /** Known when all events have arrived. */
  hasMore = false;
  readonly #exchange: Exchange;
  readonly #server: Server;
  #isComplete = false;

  private constructor(server: Server, exchange: Exchange) {
    this.storeId = exchange.header("x-service-store");
    this.head = Number(exchange.header("x-service-head"));
    this.#server = server;
    this.#exchange = exchange;
  }

  /** Asks for a page, once. @throws StoreReset when a position of the range belongs to another store */
  static async open<Events extends object>(
    server: Server,
    query: Query<Events>,
    range: Range,
    signal: AbortSignal | undefined,
  ): Promise<OpenPage<Events>> {
    const { after = 0, before, backwards, limit, waitSeconds } = range;
    const exchange = await server.begin({
      method: "QUERY",
      path: "/events",
      body: {
        query: wireQuery(query, server.edition === "B" ? "all" : "*"),
        afterSequence: sequenceOf(after),
        beforeSequence: before && sequenceOf(before),
        backwards,
        limit,
        waitSeconds,
      },
      waitSeconds,
      signal,
    });
    const page = new OpenPage<Events>(server, exchange);
    for (const position of [after, before]) {
      if (typeof position === "object" && position.storeId !== page.storeId) {
        exchange.leave();
        throw new StoreReset(position, page.storeId);
      }
    }
    return page;
  }

  /** All events at once. */
  async all(): Promise<StoredEvent<Events>[]> {
    // A page with a length is short: one step instead of many.
    if (this.#exchange.hasLength()) {
      const events = this.#parse((await this.#exchange.text()).split("\n"));
      this.#mustBeComplete();
      return events;
    }
    const all: StoredEvent<Events>[] = [];
    for await (const events of this.batches()) all.push(...events);
    return all;
  }

  /** The events in order, as many at a time as arrive. Those of a page that breaks off come before its error. */
  async *batches(): AsyncGenerator<StoredEvent<Events>[]> {
    const decoder = new TextDecoder();
    let rest = "";
    for await (const piece of this.#exchange.pieces()) {
      const lines = (rest + decoder.decode(piece, { stream: true })).split("\n");
      rest = lines.pop()!;
      const events = this.#parse(lines);
      if (events.length > 0) yield events;
    }
    this.#mustBeComplete();
  }

  #parse(lines: readonly string[]): StoredEvent<Events>[] {
    const events: StoredEvent<Events>[] = [];
    for (const line of lines) {
      if (line === "") continue;
      const value = JSON.parse(line) as WireEvent | { readonly hasMore: boolean };
      if ("hasMore" in value) {
        this.hasMore = value.hasMore;
        this.#isComplete = true;
      } else events.push(storedEvent(value, this.#server.payload));
    }
    return events;
  }

  #mustBeComplete(): void {
    if (!this.#isComplete) throw this.#exchange.lost("BadAnswer", "a page broke off");
  }
}

/** The number in a position. */
export function sequenceOf(position: Position | number): number {
  return typeof position === "object" ? position.sequence : position;
}

/** How far a complete page goes that was not read backwards: what may be saved. */
export function endOf(
  { storeId, head, hasMore }: { readonly storeId: string; readonly head: number; readonly hasMore: boolean },
  { after = 0, before = Infinity }: Range,
  lastSequence = 0,
): Position {
  const reached = hasMore ? lastSequence : Math.min(head, sequenceOf(before) - 1);
  return { storeId, sequence: Math.max(sequenceOf(after), reached) };
}
