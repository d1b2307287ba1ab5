import {
  type AggregateStreamOptions,
  type AggregateStreamResultWithGlobalPosition,
  type AppendToStreamOptions,
  type AppendToStreamResultWithGlobalPosition,
  type DefaultEventStoreOptions,
  type Event,
  type EventStore as EmmettStore,
  filterProjections,
  type ProjectionRegistration,
  type ReadEvent,
  type ReadStreamOptions,
  type ReadStreamResult,
  tryPublishMessagesAfterCommit,
} from "@event-driven-io/emmett";
import type { EventStore, ProjectionChanges, Tags } from "eventstore-client";
import { appendToStream } from "./append_to_stream.ts";
import { type EventStoreConsumer, eventStoreConsumer, type EventStoreConsumerOptions } from "./consumer.ts";
import type { EventStoreProjectionContext } from "./document_projections.ts";
import { Documents } from "./documents.ts";
import { assertExpected, NO_VERSION, openStream, readStream, readVersion } from "./read_stream.ts";
import type { EventStoreReadMetadata, RecordedEvent } from "./recorded_events.ts";

/** Emmett's event store, on a store that is reached with `eventstore-client`. */
export interface EmmettEventStore extends EmmettStore<EventStoreReadMetadata> {
  /** The client. Its `decide` reads the same events. */
  readonly store: EventStore;
  /** Computes the state of a stream. It holds one page of events in memory at a time. */
  aggregateStream<State, EventType extends Event, StoredType extends Event = EventType>(
    streamName: string,
    options: AggregateStreamOptions<State, EventType, EventStoreReadMetadata, StoredType>,
  ): Promise<AggregateStreamResultWithGlobalPosition<State>>;
  /** Appends events, at most `maxEventsPerWrite` (100). */
  appendToStream<EventType extends Event, StoredType extends Event = EventType>(
    streamName: string,
    events: EventType[],
    options?: AppendToStreamOptions<bigint, EventType, StoredType>,
  ): Promise<AppendToStreamResultWithGlobalPosition>;
  /** Creates a consumer of the events of this store. */
  consumer(options?: EventStoreConsumerOptions): EventStoreConsumer;
}

/** Options of the event store. */
export interface EmmettEventStoreOptions extends DefaultEventStoreOptions<EmmettEventStore> {
  /** Projections that change in the same write as the events: `projections.inline([...])`. */
  readonly projections?: ProjectionRegistration<
    "inline",
    EventStoreReadMetadata,
    EventStoreProjectionContext
  >[];
  /**
   * Further identifiers of an event, in addition to `stream`, by which queries of `decide` select it. Default: none.
   */
  readonly identifiers?: (event: Event, streamName: string) => Tags;
}

/**
 * An event store for Emmett. Streams are events with the same value of the identifier `stream`.
 *
 * @param store a client of edition A with JSON payloads, or a store in memory from `eventstore-client/testing`
 * @example
 * ```ts
 * import { getEventStore } from "emmett-eventstore";
 * import { EventStore } from "eventstore-client";
 *
 * const eventStore = getEventStore(new EventStore({ url: "http://127.0.0.1:8085" }));
 * await eventStore.appendToStream("cart-1", [{ type: "CartOpened", data: { by: "Ada" } }]);
 * const { events, currentStreamVersion } = await eventStore.readStream("cart-1");
 * console.log(events.length, currentStreamVersion); // 1 1n
 * ```
 */
export function getEventStore(
  // The client of a program usually has types of events, which do not matter here.
  // deno-lint-ignore no-explicit-any
  store: EventStore<any>,
  { projections = [], identifiers = () => ({}), hooks }: EmmettEventStoreOptions = {},
): EmmettEventStore {
  const inline = filterProjections("inline", projections);

  async function changes(events: RecordedEvent[]): Promise<ProjectionChanges | undefined> {
    const documents = new Documents(store);
    for (const { canHandle, handle } of inline) {
      const handled = events.filter(({ type }) => canHandle.includes(type));
      if (handled.length) await handle(handled, { documents, store });
    }
    return documents.changes();
  }

  return {
    store,
    readStream: <EventType extends Event, StoredType extends Event = EventType>(
      streamName: string,
      options?: ReadStreamOptions<bigint, EventType, StoredType>,
    ): Promise<ReadStreamResult<EventType, EventStoreReadMetadata>> => readStream(store, streamName, options),
    aggregateStream: (streamName, options) => aggregateStream(store, streamName, options),
    async appendToStream<EventType extends Event, StoredType extends Event = EventType>(
      streamName: string,
      events: EventType[],
      options: AppendToStreamOptions<bigint, EventType, StoredType> = {},
    ): Promise<AppendToStreamResultWithGlobalPosition> {
      const parts = { identifiers, changes };
      const { result, events: appended } = await appendToStream(store, streamName, events, options, parts);
      await tryPublishMessagesAfterCommit<EmmettEventStore>(appended as ReadEvent<Event, never>[], hooks);
      return result;
    },
    streamExists: async (streamName) => (await readVersion(store, streamName)).version !== NO_VERSION,
    consumer: (options) => eventStoreConsumer(store, options),
  };
}

async function aggregateStream<State, EventType extends Event, StoredType extends Event>(
  store: EventStore,
  streamName: string,
  { evolve, initialState, read }: AggregateStreamOptions<
    State,
    EventType,
    EventStoreReadMetadata,
    StoredType
  >,
): Promise<AggregateStreamResultWithGlobalPosition<State>> {
  const stream = await openStream(store, streamName, read);
  const apply = evolve as (state: State, event: RecordedEvent<EventType>) => State;
  let state = initialState();
  let lastEventGlobalPosition = 0n;
  for await (const event of stream.events) {
    state = apply(state, event);
    lastEventGlobalPosition = event.metadata.globalPosition;
  }
  const currentStreamVersion = stream.version();
  assertExpected(currentStreamVersion, read?.expectedStreamVersion);
  return currentStreamVersion === NO_VERSION
    ? { currentStreamVersion, state, streamExists: false }
    : { currentStreamVersion, state, streamExists: true, lastEventGlobalPosition };
}
