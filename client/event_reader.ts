import type { Position, StoredEvent } from "./events.ts";
import type { Followed, FollowOptions } from "./follow.ts";
import type { CallOptions } from "./options.ts";
import type { OnlyKnownKeys, Query, SelectedType } from "./queries.ts";
import { type BackwardsPage, type Page, type ReadAllOptions, type ReadOptions, readPage } from "./reading.ts";
import type { Server } from "./server.ts";
import { walk } from "./walk.ts";

/** The methods of an `EventStore` that change nothing. */
export abstract class EventReader<Events extends object = Record<string, unknown>> {
  /** @internal */
  declare protected readonly server: Server;

  /** @internal */
  constructor(server: Server) {
    this.server = server;
  }

  /**
   * One page of events, oldest first. The types that the query names narrow the type of the events.
   *
   * @param query `"*"`, an item, or several
   * @param options the range and the size of the page
   * @throws {StoreReset} when `after` or `before` is a position in another store
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore<{ CourseDefined: { capacity: number } }>({ url: "http://127.0.0.1:8085" });
   * const page = await store.read({ types: ["CourseDefined"], identifiers: { course: "c1" } });
   * for (const event of page.events) console.log(event.sequence, event.payload.capacity);
   * if (page.hasMore) await store.read({ types: ["CourseDefined"] }, { after: page.position });
   * ```
   */
  read<const Q extends Query<Events> = Query<Events>>(
    query: Q & OnlyKnownKeys<Events, Q>,
    options?: ReadOptions & { readonly backwards?: false },
  ): Promise<Page<Events, SelectedType<Events, Q>>>;
  /**
   * One page of events, newest first.
   *
   * @param query `"*"`, an item, or several
   * @param options the range and the size of the page
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { events: [last] } = await store.read({ types: ["InvoiceIssued"] }, { backwards: true, limit: 1 });
   * console.log(last?.sequence ?? "none yet");
   * ```
   */
  read<const Q extends Query<Events> = Query<Events>>(
    query: Q & OnlyKnownKeys<Events, Q>,
    options: ReadOptions,
  ): Promise<BackwardsPage<Events, SelectedType<Events, Q>>>;
  read(query: Query<Events>, options: ReadOptions = {}): Promise<never> {
    return readPage(this.server, query, options) as Promise<never>;
  }

  /**
   * All events that match. It reads page by page, as the caller asks for events, up to the end that the store had
   * at the first page. If an answer breaks off, it continues after the last event. All events are from one store.
   *
   * @param query `"*"`, an item, or several
   * @param options the range of the read
   * @throws {StoreReset} when the store differs from that of `after` or of the first page
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * for await (const event of store.readAll("*")) console.log(event.sequence, event.type);
   * ```
   */
  async *readAll<const Q extends Query<Events> = Query<Events>>(
    query: Q & OnlyKnownKeys<Events, Q>,
    options: ReadAllOptions = {},
  ): AsyncGenerator<StoredEvent<Events, SelectedType<Events, Q>>, void> {
    const { signal, ...range } = options;
    for await (const { events, isEnd } of walk<Events>(this.server, query, range, signal, false)) {
      yield* events as StoredEvent<Events, SelectedType<Events, Q>>[];
      if (isEnd) return;
    }
  }

  /**
   * The current end of the store.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { storeId, sequence } = await store.head();
   * console.log(`${sequence} events in ${storeId}`);
   * ```
   */
  async head(options: CallOptions = {}): Promise<Position> {
    // After every sequence that there can be, so the read returns no event.
    return (await this.read("*", { after: 2 ** 53 - 1, limit: 1, signal: options.signal })).head;
  }

  /**
   * Every event that matches, in order, then each new one as it is committed. Events are never lost, repeated or
   * reordered, whatever happens to the server and the connection. It ends with the loop or the signal.
   *
   * @param query `"*"`, an item, or several
   * @param options the position to begin at, and the behaviour after a reset
   * @throws {StoreReset} when the store was reset, unless `onReset` is `"restart"`
   * @example
   * ```ts
   * import { EventStore, type Position } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * await store.append({ type: "CourseDefined", payload: {} });
   * let saved: Position | undefined;
   * for await (const { events, checkpoint } of store.follow({ types: ["CourseDefined"] }, { from: saved })) {
   *   for (const event of events) console.log(event.sequence, event.type);
   *   saved = checkpoint;
   *   break;
   * }
   * ```
   */
  async *follow<const Q extends Query<Events> = Query<Events>>(
    query: Q & OnlyKnownKeys<Events, Q>,
    options: FollowOptions = {},
  ): AsyncGenerator<Followed<Events, SelectedType<Events, Q>>, never> {
    const followed = (await import("./follow.ts")).follow<Events>(this.server, query, options);
    return yield* followed as AsyncGenerator<never, never>;
  }
}
