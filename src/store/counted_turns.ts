import type { ProjectionKey } from "../model/projection.ts";
import type { Chunk, ChunkRequest } from "./chunk.ts";
import { GroupWrites, type TakeMore } from "./group_writes.ts";
import type { Outcome } from "./outcome.ts";
import type { StoreState } from "./state.ts";
import type { FoundProjection, StoreTurns } from "./store.ts";
import type { TurnCounts } from "./turn_counts.ts";
import type { StoreWrite, TurnResult, WriteResult } from "./write.ts";

/** The turns of a store, counted as far as a client asked for them. */
export class CountedTurns implements StoreTurns {
  readonly #turns: StoreTurns;
  readonly #counts: TurnCounts;

  constructor(turns: StoreTurns, counts: TurnCounts) {
    this.#turns = turns;
    this.#counts = counts;
  }

  async group(writes: readonly StoreWrite[], more?: TakeMore): Promise<readonly Outcome<TurnResult>[]> {
    const group = new GroupWrites(writes, more);
    try {
      const outcomes = await this.#turns.group(writes, group.more);
      for (const outcome of outcomes) this.#counts.ended(outcome);
      return outcomes;
    } catch (error) {
      // The writer died.
      this.#counts.failed.other += group.all.length;
      throw error;
    } finally {
      this.#counts.groupEnded(group.all.length);
    }
  }

  async deleteProjections(type: string | undefined): Promise<Outcome<void>> {
    return this.#counts.ended(await this.#turns.deleteProjections(type));
  }

  async reset(): Promise<Outcome<void>> {
    return this.#counts.ended(await this.#turns.reset());
  }

  async setPaused(sinceMicros: number | undefined): Promise<Outcome<StoreState>> {
    return this.#counts.ended(await this.#turns.setPaused(sinceMicros));
  }

  optimize(): Promise<Outcome<void>> {
    return this.#turns.optimize();
  }

  async begin(): Promise<Outcome<void>> {
    return this.#counts.ended(await this.#turns.begin());
  }

  async writeInside(write: StoreWrite): Promise<Outcome<WriteResult>> {
    return this.#counts.ended(await this.#turns.writeInside(write));
  }

  readChunkInside(request: ChunkRequest): Promise<Chunk> {
    return this.#turns.readChunkInside(request);
  }

  readProjectionInside(key: ProjectionKey): Promise<FoundProjection> {
    return this.#turns.readProjectionInside(key);
  }

  async commit(): Promise<Outcome<void>> {
    return this.#counts.ended(await this.#turns.commit());
  }

  rollback(): Promise<void> {
    return this.#turns.rollback();
  }
}
