import type { EventStore, ProjectionChanges } from "eventstore-client";

/** The type of the projections that hold checkpoints. */
export const CHECKPOINTS = "emmett-checkpoint";

/** No event has this type. A condition with it holds in one store, but not after a reset. */
const NOTHING = { types: [CHECKPOINTS] };

/** A checkpoint as it is stored. The ID of the store shows that the position is of this store. */
interface StoredCheckpoint {
  readonly storeId: string;
  readonly sequence: number;
}

/** Names a processor. Another version or partition of it has a checkpoint of its own. */
export interface CheckpointName {
  readonly processorId: string;
  readonly version: number;
  readonly partition: string;
}

/**
 * The checkpoint of one processor: a projection of the store. Two copies of a processor cannot both move it, since each
 * write names the version that it has read.
 */
export class Checkpoint {
  /** The sequence of the last event that was handled; undefined at the beginning. */
  readonly sequence: number | undefined;
  readonly #storeId: string;
  readonly #id: string;
  #version: string | undefined;

  private constructor(
    id: string,
    storeId: string,
    sequence: number | undefined,
    version: string | undefined,
  ) {
    this.#id = id;
    this.#storeId = storeId;
    this.sequence = sequence;
    this.#version = version;
  }

  /** Reads it. A checkpoint of another store is void. */
  static async read(store: EventStore, name: CheckpointName): Promise<Checkpoint> {
    const { storeId } = await store.head();
    const id = `${name.processorId}:${name.partition}:${name.version}`;
    const stored = await store.projections.get<StoredCheckpoint>(CHECKPOINTS, id);
    const sequence = stored?.payload.storeId === storeId ? stored.payload.sequence : undefined;
    return new Checkpoint(id, storeId, sequence, stored?.version);
  }

  /**
   * Moves it, together with other changes.
   * @throws `Conflict` if another copy of the processor has moved it, a document has changed, or the store was reset
   */
  async write(store: EventStore, sequence: number, changes: ProjectionChanges = {}): Promise<void> {
    const moved = { type: CHECKPOINTS, id: this.#id, payload: { storeId: this.#storeId, sequence } };
    const { create = [], replace = [] } = changes;
    // It is the first in its list, so the answer has its version first.
    const projections = this.#version === undefined
      ? { ...changes, create: [moved, ...create] }
      : { ...changes, replace: [{ ...moved, version: this.#version }, ...replace] };
    const conditions = { query: NOTHING, after: { storeId: this.#storeId, sequence } };
    const { projections: versions } = await store.append([], { projections, conditions });
    this.#version = (this.#version === undefined ? versions.create : versions.replace)[0]!.version;
  }
}
