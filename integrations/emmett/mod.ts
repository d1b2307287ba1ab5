/**
 * An event store for Emmett, on this event store.
 *
 * @module
 */

export { type EventStoreConsumer, eventStoreConsumer, type EventStoreConsumerOptions } from "./consumer.ts";
export type { EventStoreProjectorOptions, EventStoreReactorOptions } from "./consumer_entry.ts";
export {
  type DocumentEvolve,
  type DocumentOptions,
  eventStoreMultiStreamProjection,
  type EventStoreProjectionContext,
  type EventStoreProjectionDefinition,
  eventStoreSingleStreamProjection,
  type NullableDocumentOptions,
  type WithDocumentId,
} from "./document_projections.ts";
export { type Document, Documents, type HandleDocument } from "./documents.ts";
export { type EmmettEventStore, type EmmettEventStoreOptions, getEventStore } from "./event_store.ts";
export type { EventStoreProcessor } from "./processor_loop.ts";
export type { EventStoreReadMetadata, RecordedEvent } from "./recorded_events.ts";
