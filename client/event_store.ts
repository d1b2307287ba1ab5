import type { NewEvent, Position, StoredEvent } from "./events.ts";
import type { CallOptions, EventStoreOptions } from "./options.ts";
import { Projections } from "./projections.ts";
import type { Query } from "./queries.ts";
import {
  type BackwardsPage,
  type Page,
  type ReadAllOptions,
  readEvery,
  readHead,
  type ReadOptions,
  readPage,
} from "./reading.ts";
import { Server } from "./server.ts";
import { type Appended, type AppendOptions, type OneOrMore, write } from "./writing.ts";

/**
 * An event store, reached over HTTP. `Events` maps each type of event to its payload. It holds no state but its
 * connections, so one serves a whole program.
 *
 * @example
 * ```ts
 * import { EventStore } from "eventstore-client";
 *
 * interface Events {
 *   CourseDefined: { capacity: number };
 *   StudentEnrolled: { by: string };
 * }
 * const store = new EventStore<Events>({ url: "http://127.0.0.1:8085" });
 * const local = new EventStore<Events>({ socketPath: "/run/service/service.sock" });
 * ```
 */
export class EventStore<Events extends object = Record<string, unknown>> {
  /** Values with a version, beside the events. */
  readonly projections: Projections;
  readonly #server: Server;

  /** Opens nothing: connections are made when they are needed. */
  constructor(options: EventStoreOptions) {
    this.#server = new Server(options);
    this.projections = new Projections(this.#server);
  }

  /**
   * One page of events, oldest first.
   *
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
  async read(
    query: Query<Events>,
    options?: ReadOptions & { readonly backwards?: false },
  ): Promise<Page<Events>>;
  /**
   * One page of events, newest first.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { events: [last] } = await store.read({ types: ["InvoiceIssued"] }, { backwards: true, limit: 1 });
   * console.log(last?.sequence ?? "none yet");
   * ```
   */
  async read(query: Query<Events>, options: ReadOptions): Promise<BackwardsPage<Events>>;
  async read(query: Query<Events>, options: ReadOptions = {}): Promise<BackwardsPage<Events>> {
    return await readPage(this.#server, query, options);
  }

  /**
   * All events that match, read page by page as they are asked for, up to the end of the store. An answer that
   * breaks off is continued behind the last event; all are of one store.
   *
   * @throws {StoreReset} when the store is another one than that of `after` or of the first page
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * for await (const event of store.readAll("*")) console.log(event.sequence, event.type);
   * ```
   */
  readAll(query: Query<Events>, options: ReadAllOptions = {}): AsyncGenerator<StoredEvent<Events>, void> {
    return readEvery(this.#server, query, options);
  }

  /**
   * Where the store ends at present.
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
    return await readHead(this.#server, options);
  }

  /**
   * Writes events and changes projections, all or nothing, provided that the conditions hold. Edition A.
   *
   * It is not repeated when the answer is lost, since it may have happened: `ConnectionLost` then has
   * `outcomeUnknown`. `writeOnce` and `decide` are safe.
   *
   * @throws {Conflict} when a condition or a version does not hold
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const { events } = await store.append(
   *   { type: "CourseDefined", identifiers: { course: "c1" }, payload: { capacity: 30 } },
   *   { conditions: { query: { types: ["CourseDefined"], identifiers: { course: "c1" } } } },
   * );
   * console.log(events[0]?.sequence);
   * ```
   */
  async append(
    events: OneOrMore<NewEvent<Events>>,
    options: AppendOptions<Events> = {},
  ): Promise<Appended> {
    this.#server.mustBeA();
    return await write(this.#server, events, options);
  }
}
