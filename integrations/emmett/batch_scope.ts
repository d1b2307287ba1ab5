import type { Checkpointer, MessageProcessingScope } from "@event-driven-io/emmett";
import type { EventStore } from "eventstore-client";
import { Checkpoint, type CheckpointName } from "./checkpoint.ts";
import type { EventStoreProjectionContext } from "./document_projections.ts";
import { Documents } from "./documents.ts";
import type { EventStoreReadMetadata } from "./recorded_events.ts";

/** The state after the last event that a batch has handled. */
interface Progress {
  sequence: number;
  documents: Documents;
}

/**
 * The processing scope of a processor: documents and checkpoint of a batch change in one write. If a handler throws,
 * the events before it are still written, and the error passes through.
 */
export class BatchScope {
  readonly #store: EventStore;
  readonly #name: CheckpointName;
  #checkpoint: Checkpoint | undefined;
  #documents: Documents;
  #progress: Progress | undefined;

  constructor(store: EventStore, name: CheckpointName) {
    this.#store = store;
    this.#name = name;
    this.#documents = new Documents(store);
  }

  /** Emmett's checkpointer. It reads the checkpoint as it was at the start, and stores it with the batch. */
  readonly checkpointer: Checkpointer<never, EventStoreReadMetadata, EventStoreProjectionContext, bigint> = {
    read: () => {
      const sequence = this.#checkpoint?.sequence;
      return Promise.resolve({ lastCheckpoint: sequence === undefined ? null : BigInt(sequence) });
    },
    store: (options: { readonly message: { readonly metadata: EventStoreReadMetadata } }) => {
      const { globalPosition } = options.message.metadata;
      this.#progress = { sequence: Number(globalPosition), documents: this.#documents.copy() };
      return Promise.resolve({ success: true, newCheckpoint: globalPosition });
    },
  };

  /** Emmett's processing scope. It surrounds each batch, each hook and the start. */
  readonly run: MessageProcessingScope<EventStoreProjectionContext> = async (handler) => {
    const store = this.#store;
    const checkpoint = this.#checkpoint ??= await Checkpoint.read(store, this.#name);
    this.#documents = new Documents(store);
    this.#progress = undefined;
    try {
      return await handler({ store, documents: this.#documents });
    } finally {
      const progress = this.#progress as Progress | undefined;
      if (progress) await checkpoint.write(store, progress.sequence, progress.documents.changes());
    }
  };
}
