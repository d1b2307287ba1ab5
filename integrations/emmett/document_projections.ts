import type { CanHandle, Event, ProjectionDefinition } from "@event-driven-io/emmett";
import type { EventStore } from "eventstore-client";
import type { Document, Documents } from "./documents.ts";
import type { EventStoreReadMetadata, RecordedEvent } from "./recorded_events.ts";

/** The second parameter of a projection's `handle`. */
export interface EventStoreProjectionContext {
  /** Changes to them are part of the write. */
  readonly documents: Documents;
  /** The client, for reads. A write of its own is not part of the write. */
  readonly store: EventStore;
  /** Emmett requires an index signature. There are no further entries. */
  [key: string]: unknown;
}

/** A projection of this event store. */
export type EventStoreProjectionDefinition<EventType extends Event> = ProjectionDefinition<
  EventType,
  EventStoreReadMetadata,
  EventStoreProjectionContext
>;

/** Returns the document after an event, or null to delete it. */
export type DocumentEvolve<Current, Doc extends Document, EventType extends Event> = (
  document: Current,
  event: RecordedEvent<EventType>,
) => Doc | null;

/** A projection into the documents of a collection. `evolve` gets null for a new document. */
export interface NullableDocumentOptions<Doc extends Document, EventType extends Event> {
  /** The name of the projection. Default: that of the collection. */
  readonly name?: string;
  /** The types of events that it handles. */
  readonly canHandle: CanHandle<EventType>;
  /** The collection. It is the type of the projections in the store. */
  readonly collectionName: string;
  /** Returns the document after an event. */
  readonly evolve: DocumentEvolve<Doc | null, Doc, EventType>;
  /** Absent: otherwise these are `DocumentOptions`. */
  readonly initialState?: never;
}

/** A projection into the documents of a collection. `evolve` gets `initialState()` for a new document. */
export interface DocumentOptions<Doc extends Document, EventType extends Event>
  extends Omit<NullableDocumentOptions<Doc, EventType>, "evolve" | "initialState"> {
  /** Returns the document after an event. */
  readonly evolve: DocumentEvolve<Doc, Doc, EventType>;
  /** Returns the document before its first event. */
  readonly initialState: () => Doc;
}

type AnyDocumentOptions<Doc extends Document, EventType extends Event> =
  | NullableDocumentOptions<Doc, EventType>
  | DocumentOptions<Doc, EventType>;

/** The ID of the document that an event changes. */
export interface WithDocumentId<EventType extends Event> {
  /** Returns the ID. */
  readonly getDocumentId: (event: RecordedEvent<EventType>) => string;
}

/**
 * Keeps a document for each ID, from the events of any streams. With `projections.inline`, documents change in the
 * same write as the events.
 *
 * @example
 * ```ts
 * import { eventStoreMultiStreamProjection } from "emmett-eventstore";
 *
 * type Placed = { type: "OrderPlaced"; data: { customer: string } };
 * const orders = eventStoreMultiStreamProjection<{ count: number }, Placed>({
 *   collectionName: "orders-of-customer",
 *   canHandle: ["OrderPlaced"],
 *   getDocumentId: (event) => event.data.customer,
 *   initialState: () => ({ count: 0 }),
 *   evolve: ({ count }) => ({ count: count + 1 }),
 * });
 * ```
 */
export function eventStoreMultiStreamProjection<Doc extends Document, EventType extends Event>(
  options: DocumentOptions<Doc, EventType> & WithDocumentId<EventType>,
): EventStoreProjectionDefinition<EventType>;
/** The same without `initialState`. */
export function eventStoreMultiStreamProjection<Doc extends Document, EventType extends Event>(
  options: NullableDocumentOptions<Doc, EventType> & WithDocumentId<EventType>,
): EventStoreProjectionDefinition<EventType>;
export function eventStoreMultiStreamProjection<Doc extends Document, EventType extends Event>(
  options: AnyDocumentOptions<Doc, EventType> & WithDocumentId<EventType>,
): EventStoreProjectionDefinition<EventType> {
  const { collectionName, canHandle, getDocumentId, initialState, name = collectionName } = options;
  const evolve = options.evolve as DocumentEvolve<Doc | null, Doc, EventType>;
  return {
    name,
    canHandle,
    handle: async (events, { documents }) => {
      for (const event of events) {
        await documents.handle<Doc>(
          collectionName,
          getDocumentId(event),
          (document) => evolve(document ?? initialState?.() ?? null, event),
        );
      }
    },
    truncate: async ({ store }) => await store.projections.deleteType(collectionName),
  };
}

/**
 * Keeps a document for each stream, whose ID is the name of the stream.
 *
 * @example
 * ```ts
 * import { eventStoreSingleStreamProjection } from "emmett-eventstore";
 *
 * type Added = { type: "ProductItemAdded"; data: { quantity: number } };
 * const summaries = eventStoreSingleStreamProjection<{ items: number }, Added>({
 *   collectionName: "cart-summary",
 *   canHandle: ["ProductItemAdded"],
 *   initialState: () => ({ items: 0 }),
 *   evolve: ({ items }, event) => ({ items: items + event.data.quantity }),
 * });
 * ```
 */
export function eventStoreSingleStreamProjection<Doc extends Document, EventType extends Event>(
  options: DocumentOptions<Doc, EventType>,
): EventStoreProjectionDefinition<EventType>;
/** The same without `initialState`. */
export function eventStoreSingleStreamProjection<Doc extends Document, EventType extends Event>(
  options: NullableDocumentOptions<Doc, EventType>,
): EventStoreProjectionDefinition<EventType>;
export function eventStoreSingleStreamProjection<Doc extends Document, EventType extends Event>(
  options: AnyDocumentOptions<Doc, EventType>,
): EventStoreProjectionDefinition<EventType> {
  const getDocumentId = (event: RecordedEvent<EventType>): string => event.metadata.streamName;
  return eventStoreMultiStreamProjection<Doc, EventType>({ ...options, getDocumentId } as never);
}
