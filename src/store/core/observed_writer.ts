import type { ProjectionKey } from "../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../api/chunk.ts";
import type { CommitFeed, CommittedEvent } from "../feed/commit_feed.ts";
import type { Outcome } from "../api/outcome.ts";
import type { StoreState } from "../api/state.ts";
import type { FoundProjection, StoreWriter } from "../api/store.ts";
import type { TransactionCounts } from "./transaction_counts.ts";
import type { AttemptResult, StoreWrite, TakeMore, WriteResult } from "../api/write.ts";

/** The limit on events of an open transaction that wait for its commit: about 200 bytes each, with all tags 1,400. */
const PENDING_MAX = 20_000;

/** ObservedWriter counts the requests of clients to a writer, and publishes the events that it commits. */
export class ObservedWriter implements StoreWriter {
  readonly #writer: StoreWriter;
  readonly #counts: TransactionCounts;
  readonly #feed: CommitFeed;
  #pending = new PendingEvents();

  constructor(writer: StoreWriter, counts: TransactionCounts, feed: CommitFeed) {
    this.#writer = writer;
    this.#counts = counts;
    this.#feed = feed;
  }

  async group(
    writes: readonly StoreWrite[],
    more: TakeMore = () => [],
  ): Promise<readonly Outcome<AttemptResult>[]> {
    let group = writes;
    const join: TakeMore = () => {
      const late = more();
      group = [...group, ...late];
      return late;
    };
    try {
      const outcomes = await this.#writer.group(writes, join);
      for (const [i, outcome] of outcomes.entries()) {
        const written = writtenEvents(group[i]!, this.#counts.written(group[i]!, outcome));
        if (outcome.kind === "done" && outcome.value.kind === "written") this.#counts.health.committed();
        if (written === undefined) continue;
        this.#feed.committed(written.firstSequence, written.events, written.storeId);
      }
      return outcomes;
    } catch (error) {
      // The writer died.
      this.#counts.failed.other += group.length;
      throw error;
    } finally {
      this.#counts.groupEnded(group.length);
    }
  }

  async deleteProjections(type: string | undefined): Promise<Outcome<void>> {
    return this.#counts.committed(await this.#writer.deleteProjections(type));
  }

  async reset(): Promise<Outcome<void>> {
    return this.#counts.committed(await this.#writer.reset());
  }

  async setPaused(sinceMicros: number | undefined): Promise<Outcome<StoreState>> {
    return this.#counts.committed(await this.#writer.setPaused(sinceMicros));
  }

  optimize(): Promise<Outcome<void>> {
    return this.#writer.optimize();
  }

  async begin(): Promise<Outcome<void>> {
    this.#pending = new PendingEvents();
    return this.#counts.ended(await this.#writer.begin());
  }

  async writeInside(write: StoreWrite): Promise<Outcome<WriteResult>> {
    const outcome = await this.#writer.writeInside(write);
    this.#counts.written(write, outcome);
    const written = writtenEvents(write, outcome);
    if (written !== undefined) this.#pending.add(written);
    return outcome;
  }

  readChunkInside(request: ChunkRequest): Promise<Chunk> {
    return this.#writer.readChunkInside(request);
  }

  readProjectionInside(key: ProjectionKey): Promise<FoundProjection> {
    return this.#writer.readProjectionInside(key);
  }

  async commit(): Promise<Outcome<void>> {
    const outcome = this.#counts.committed(await this.#writer.commit());
    const pending = this.#pending;
    this.#pending = new PendingEvents();
    if (outcome.kind === "done") pending.publish(this.#feed);
    return outcome;
  }

  rollback(): Promise<void> {
    this.#pending = new PendingEvents();
    return this.#writer.rollback();
  }
}

interface WrittenEvents {
  readonly storeId: string;
  readonly firstSequence: number;
  readonly events: readonly CommittedEvent[];
}

function writtenEvents({ events }: StoreWrite, outcome: Outcome<AttemptResult>): WrittenEvents | undefined {
  if (outcome.kind !== "done" || outcome.value.kind !== "written" || events.length === 0) return undefined;
  const { storeId, firstSequence } = outcome.value;
  return { storeId, firstSequence, events };
}

/** PendingEvents are the events of an open transaction, without their bodies. */
class PendingEvents {
  /** undefined: too many to keep. */
  #events: CommittedEvent[] | undefined = [];
  #head = 0;

  add({ firstSequence, events }: WrittenEvents): void {
    this.#head = firstSequence + events.length - 1;
    if (this.#events === undefined) return;
    if (this.#events.length + events.length > PENDING_MAX) return void (this.#events = undefined);
    for (const { timeMicros, terms } of events) this.#events.push({ timeMicros, terms });
  }

  publish(feed: CommitFeed): void {
    if (this.#head === 0) return;
    if (this.#events === undefined) feed.committedMany(this.#head);
    else feed.committed(this.#head - this.#events.length + 1, this.#events);
  }
}
