import {
  type AnyEvent,
  defaultProcessorPartition,
  defaultProcessorVersion,
  delay,
  getProjectorId,
  projector,
  type ProjectorOptions,
  reactor,
  type ReactorOptions,
} from "@event-driven-io/emmett";
import { Conflict, ConnectionLost, type EventStore, type Query, StoreReset } from "eventstore-client";
import { BatchScope } from "./batch_scope.ts";
import type { CheckpointName } from "./checkpoint.ts";
import type { EventStoreProjectionContext } from "./document_projections.ts";
import { type Ended, type EventStoreProcessor, runProcessor } from "./processor_loop.ts";
import type { EventStoreReadMetadata } from "./recorded_events.ts";

/** Options that the consumer sets itself. Emmett's reactor never calls `eachBatch`. */
type Own = "checkpoints" | "processingScope" | "eachBatch";

/** Options of a reactor. Its checkpoint is kept in the store. */
export type EventStoreReactorOptions<EventType extends AnyEvent = AnyEvent> =
  & Omit<
    ReactorOptions<EventType, EventStoreReadMetadata, EventStoreProjectionContext, bigint>,
    Own | "eachMessage"
  >
  & Required<
    Pick<
      ReactorOptions<EventType, EventStoreReadMetadata, EventStoreProjectionContext, bigint>,
      "eachMessage"
    >
  >;

/** Options of a projector. Its documents change in one write with its checkpoint. */
export type EventStoreProjectorOptions<EventType extends AnyEvent = AnyEvent> = Omit<
  ProjectorOptions<EventType, EventStoreReadMetadata, EventStoreProjectionContext, bigint>,
  Own
>;

/** A processor of a consumer. */
export interface Entry {
  processor: EventStoreProcessor;
  /** Creates it anew after an error, to begin at its checkpoint. Absent for a processor that the caller created. */
  readonly again?: () => EventStoreProcessor;
  /** Selects its events. */
  readonly query: Query;
}

/** The most types in a query. */
const TYPES_MAX = 100;

/** The longest pause before a processor begins again, in milliseconds. */
const PAUSE_MAX = 1000;

/** An entry for a reactor of a consumer. */
export function reactorEntry<EventType extends AnyEvent>(
  store: EventStore,
  options: EventStoreReactorOptions<EventType>,
): Entry {
  const create = (given: EventStoreReactorOptions<EventType>): EventStoreProcessor =>
    reactor({ ...given, ...scopeOf(store, given.processorId, given) } as never);
  const again = (): EventStoreProcessor =>
    create({ ...options, startFrom: "CURRENT", hooks: closing(options.hooks) });
  return { processor: create(options), again, query: queryOf(options.canHandle) };
}

/** An entry for a projector of a consumer. */
export function projectorEntry<EventType extends AnyEvent>(
  store: EventStore,
  options: EventStoreProjectorOptions<EventType>,
): Entry {
  const { canHandle, name: projectionName } = options.projection;
  const processorId = options.processorId ?? (projectionName && getProjectorId({ projectionName }));
  if (!processorId) throw new TypeError("a projector needs a processorId, or a projection with a name");
  const create = (given: EventStoreProjectorOptions<EventType>): EventStoreProcessor =>
    projector({ ...given, ...scopeOf(store, processorId, given), processorId } as never);
  const again = (): EventStoreProcessor =>
    create({ ...options, startFrom: "CURRENT", truncateOnStart: false, hooks: closing(options.hooks) });
  return { processor: create(options), again, query: queryOf(canHandle) };
}

/** The hooks of a processor that begins again: it was initialized and started before. */
function closing<Hooks extends { readonly onClose?: unknown }>(hooks: Hooks | undefined): Hooks {
  return (hooks?.onClose ? { onClose: hooks.onClose } : {}) as Hooks;
}

function scopeOf(
  store: EventStore,
  processorId: string,
  { version = defaultProcessorVersion, partition = defaultProcessorPartition }: Partial<CheckpointName>,
): object {
  const scope = new BatchScope(store, { processorId, version, partition });
  return { checkpoints: scope.checkpointer, processingScope: scope.run };
}

/** Upcasting does not change types, so the types that a processor handles are those in the store. */
function queryOf(types: readonly string[] | undefined): Query {
  return types?.length && types.length <= TYPES_MAX ? { types } : "*";
}

/**
 * Runs a processor. If its write fails since another copy was faster, or the answer was lost, it begins again at the
 * checkpoint that is stored. After a reset of the store, whose projections are gone, that is the beginning.
 */
export async function runEntry(store: EventStore, entry: Entry, signal: AbortSignal): Promise<Ended> {
  for (;;) {
    try {
      return await runProcessor(store, entry.processor, entry.query, signal);
    } catch (error) {
      // The processor in memory may be ahead of the checkpoint.
      if (entry.again) entry.processor = entry.again();
      const isPassing = [Conflict, ConnectionLost, StoreReset].some((type) => error instanceof type);
      if (!entry.again || !isPassing) throw error;
      if (signal.aborted) return undefined;
      await delay(Math.random() * PAUSE_MAX);
    }
  }
}
