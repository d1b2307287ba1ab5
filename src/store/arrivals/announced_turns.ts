import type { ProjectionKey } from "../../model/projection.ts";
import type { Chunk, ChunkRequest } from "../chunk.ts";
import { GroupWrites, type TakeMore } from "../group_writes.ts";
import type { Outcome } from "../outcome.ts";
import type { StoreState } from "../state.ts";
import type { FoundProjection, StoreTurns } from "../store.ts";
import type { StoreWrite, TurnResult, WriteResult } from "../write.ts";
import type { Arrivals, ArrivedEvent } from "./arrivals.ts";

/** Events of an open turn that are remembered until it is committed: about 200 bytes each, with all tags 1,400. */
const REMEMBERED_MAX = 20_000;

/** The turns of a store, which tell of the events that they have committed. */
export class AnnouncedTurns implements StoreTurns {
  readonly #turns: StoreTurns;
  readonly #arrivals: Arrivals;
  #inside = new EventsInside();

  constructor(turns: StoreTurns, arrivals: Arrivals) {
    this.#turns = turns;
    this.#arrivals = arrivals;
  }

  async group(writes: readonly StoreWrite[], more?: TakeMore): Promise<readonly Outcome<TurnResult>[]> {
    const group = new GroupWrites(writes, more);
    const outcomes = await this.#turns.group(writes, group.more);
    for (const [i, outcome] of outcomes.entries()) {
      const written = eventsOf(group.all[i]!, outcome);
      if (written !== undefined) {
        const { firstSequence, events, storeId } = written;
        this.#arrivals.committed(firstSequence, events, storeId);
      }
    }
    return outcomes;
  }

  deleteProjections(type: string | undefined): Promise<Outcome<void>> {
    return this.#turns.deleteProjections(type);
  }

  reset(): Promise<Outcome<void>> {
    return this.#turns.reset();
  }

  setPaused(sinceMicros: number | undefined): Promise<Outcome<StoreState>> {
    return this.#turns.setPaused(sinceMicros);
  }

  optimize(): Promise<Outcome<void>> {
    return this.#turns.optimize();
  }

  begin(): Promise<Outcome<void>> {
    this.#inside = new EventsInside();
    return this.#turns.begin();
  }

  async writeInside(write: StoreWrite): Promise<Outcome<WriteResult>> {
    const outcome = await this.#turns.writeInside(write);
    const written = eventsOf(write, outcome);
    if (written !== undefined) this.#inside.add(written);
    return outcome;
  }

  readChunkInside(request: ChunkRequest): Promise<Chunk> {
    return this.#turns.readChunkInside(request);
  }

  readProjectionInside(key: ProjectionKey): Promise<FoundProjection> {
    return this.#turns.readProjectionInside(key);
  }

  async commit(): Promise<Outcome<void>> {
    const outcome = await this.#turns.commit();
    const inside = this.#inside;
    this.#inside = new EventsInside();
    if (outcome.kind === "done") inside.announce(this.#arrivals);
    return outcome;
  }

  rollback(): Promise<void> {
    this.#inside = new EventsInside();
    return this.#turns.rollback();
  }
}

interface WrittenEvents {
  readonly storeId: string;
  readonly firstSequence: number;
  readonly events: readonly ArrivedEvent[];
}

/** The events that a write has written, if any. */
function eventsOf({ events }: StoreWrite, outcome: Outcome<TurnResult>): WrittenEvents | undefined {
  if (outcome.kind !== "done" || outcome.value.kind !== "written" || events.length === 0) return undefined;
  const { storeId, firstSequence } = outcome.value;
  return { storeId, firstSequence, events };
}

/** What one turn has written so far, without the bodies of the events. */
class EventsInside {
  /** undefined: too many. */
  #events: ArrivedEvent[] | undefined = [];
  #head = 0;

  add({ firstSequence, events }: WrittenEvents): void {
    this.#head = firstSequence + events.length - 1;
    if (this.#events === undefined) return;
    if (this.#events.length + events.length > REMEMBERED_MAX) return void (this.#events = undefined);
    for (const { timeMicros, terms } of events) this.#events.push({ timeMicros, terms });
  }

  /** Tells that they have been committed. */
  announce(arrivals: Arrivals): void {
    if (this.#head === 0) return;
    if (this.#events === undefined) arrivals.committedMany(this.#head);
    else arrivals.committed(this.#head - this.#events.length + 1, this.#events);
  }
}
