import type { AnyEvent, MessageConsumer } from "@event-driven-io/emmett";
import type { EventStore } from "eventstore-client";
import {
  type Entry,
  type EventStoreProjectorOptions,
  type EventStoreReactorOptions,
  projectorEntry,
  reactorEntry,
  runEntry,
} from "./consumer_entry.ts";
import type { EventStoreProcessor } from "./processor_loop.ts";

/** Options of a consumer. */
export interface EventStoreConsumerOptions {
  /** Default: a random one. */
  readonly consumerId?: string;
  /** Processors that exist already, such as Emmett's `inMemoryProjector`. They keep their own checkpoints. */
  readonly processors?: readonly EventStoreProcessor[];
}

/** A consumer: runs processors until they stop, or until it is stopped. */
export interface EventStoreConsumer extends MessageConsumer {
  /** Adds a processor that handles each event at least once, in order. */
  reactor<EventType extends AnyEvent>(options: EventStoreReactorOptions<EventType>): EventStoreProcessor;
  /** Adds a processor that applies each event to its documents exactly once, in order. */
  projector<EventType extends AnyEvent>(options: EventStoreProjectorOptions<EventType>): EventStoreProcessor;
}

/**
 * Creates a consumer. Each processor follows the store at its own speed.
 *
 * @example
 * ```ts
 * import { eventStoreConsumer } from "emmett-eventstore";
 * import { EventStore } from "eventstore-client";
 *
 * const consumer = eventStoreConsumer(new EventStore({ url: "http://127.0.0.1:8085" }));
 * consumer.reactor<{ type: "CartOpened"; data: { by: string } }>({
 *   processorId: "welcome",
 *   canHandle: ["CartOpened"],
 *   eachMessage: ({ data }) => console.log("welcome", data.by),
 * });
 * const running = consumer.start();
 * await consumer.stop();
 * await running;
 * ```
 */
export function eventStoreConsumer(
  // deno-lint-ignore no-explicit-any
  store: EventStore<any>,
  options: EventStoreConsumerOptions = {},
): EventStoreConsumer {
  return new Consumer(store, options);
}

class Consumer implements EventStoreConsumer {
  readonly consumerId: string;
  readonly #store: EventStore;
  readonly #entries: Entry[] = [];
  #end: AbortController | undefined;
  #running: Promise<void> | undefined;

  constructor(store: EventStore, { consumerId, processors = [] }: EventStoreConsumerOptions) {
    this.#store = store;
    this.consumerId = consumerId ?? crypto.randomUUID();
    for (const processor of processors) this.#add({ processor, query: "*" });
  }

  get isRunning(): boolean {
    return this.#running !== undefined;
  }

  get processors(): EventStoreProcessor[] {
    return this.#entries.map(({ processor }) => processor);
  }

  reactor<EventType extends AnyEvent>(options: EventStoreReactorOptions<EventType>): EventStoreProcessor {
    return this.#add(reactorEntry(this.#store, options));
  }

  projector<EventType extends AnyEvent>(options: EventStoreProjectorOptions<EventType>): EventStoreProcessor {
    return this.#add(projectorEntry(this.#store, options));
  }

  start(): Promise<void> {
    if (!this.#entries.length) throw new TypeError(`consumer ${this.consumerId} has no processor`);
    const end = this.#end ??= new AbortController();
    return this.#running ??= runAll(this.#store, this.#entries, end).finally(() => {
      this.#running = this.#end = undefined;
    });
  }

  async stop(): Promise<void> {
    this.#end?.abort();
    // `start` reports the error.
    await this.#running?.catch(() => {});
  }

  async close(): Promise<void> {
    await this.stop();
  }

  #add(entry: Entry): EventStoreProcessor {
    const { id } = entry.processor;
    if (this.#running) {
      throw new Error(`consumer ${this.consumerId} is running: add "${id}" before it starts`);
    }
    if (this.#entries.some(({ processor }) => processor.id === id)) {
      throw new TypeError(`consumer ${this.consumerId} already has a processor "${id}"`);
    }
    this.#entries.push(entry);
    return entry.processor;
  }
}

/** Runs all processors. After an error of one it stops the others. */
async function runAll(store: EventStore, entries: readonly Entry[], end: AbortController): Promise<void> {
  const ends = await Promise.allSettled(entries.map(async (entry) => {
    try {
      const result = await runEntry(store, entry, end.signal);
      if (result?.error) throw result.error;
    } catch (error) {
      end.abort();
      throw error;
    }
  }));
  for (const ended of ends) {
    if (ended.status === "rejected") throw ended.reason;
  }
}
