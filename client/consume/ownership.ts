import { Conflict } from "../errors.ts";
import { isPassing } from "../retries.ts";
import { assigned } from "./assignment.ts";
import { writeProgress } from "./commit.ts";
import type { Members } from "./members.ts";
import type { ParkedEvents } from "./parked_events.ts";
import { Partition } from "./partition.ts";
import { MAIN, partitionId, type PartitionRecord, type Stored } from "./records.ts";
import { register } from "./registration.ts";
import type { Session } from "./session.ts";

/** Takes and releases partitions, so that each belongs to one of the processes that work. */
export class Ownership<Events extends object> {
  readonly #session: Session<Events>;
  readonly #members: Members<Events>;
  /** Called when the process has got other partitions. */
  readonly #onTaken: () => void;
  readonly #parked: ParkedEvents<Events>;
  /** Records of partitions that other processes own, as long as they have not changed. */
  readonly #others = new Map<number, Stored<PartitionRecord>>();
  /** Partitions on their way to this process, or away from it. */
  readonly #moving = new Map<number, Promise<void>>();
  /** True when partitions were taken that are not yet read. */
  #hasTaken = false;
  #isClosed = false;

  constructor(
    session: Session<Events>,
    members: Members<Events>,
    parked: ParkedEvents<Events>,
    onTaken: () => void,
  ) {
    this.#session = session;
    this.#members = members;
    this.#parked = parked;
    this.#onTaken = onTaken;
  }

  /** Compares the records with what this process knows, and begins the moves that follow from it. */
  async look(): Promise<void> {
    const session = this.#session;
    const { owned, records, member, requests: { signal } } = session;
    const known = new Map([...owned].map(([index, { stored, isCommitting }]) => [
      index,
      isCommitting ? undefined : stored.version,
    ]));
    const parkedBefore = this.#parked.known();
    const listed = await records.list(signal);
    if (listed.get(MAIN) !== session.main.version) {
      // The type was deleted, and another process may have begun the consumer anew.
      this.loseAll();
      session.main = await register(records, session, signal);
      return;
    }
    const working = await this.#members.working(listed);
    const owners = assigned(working, session.main.value.partitions);
    const takes: Promise<void>[] = [];
    for (const [index, owner] of owners.entries()) {
      const partition = owned.get(index);
      const version = listed.get(partitionId(index));
      if (partition) {
        const before = known.get(index);
        const isUnchanged = before === partition.stored.version && !partition.isCommitting;
        if (isUnchanged && version !== before) this.#lose(partition);
        else if (owner !== member) this.#move(index, () => this.#release(partition));
      } else if (owner === member && version) {
        takes.push(this.#move(index, () => this.#take(index, version, working)));
      }
    }
    Promise.all(takes).then(() => this.#taken());
    this.#parked.look(listed, parkedBefore);
  }

  /** Takes no further partitions, and hands all over. */
  async releaseAll(): Promise<void> {
    this.#isClosed = true;
    await Promise.all(this.#moving.values());
    await Promise.all([...this.#session.owned.values()].map((partition) => this.#release(partition)));
    this.#notify();
  }

  /** Hands a partition over, after the handlers that run have ended. */
  async #release(partition: Partition<Events>): Promise<void> {
    const { owned } = this.#session;
    partition.close();
    while (!partition.isIdle && !partition.isLost) await partition.changed.wait();
    if (partition.isLost) return;
    try {
      await writeProgress(this.#session, partition, [], undefined);
    } catch (error) {
      if (!(error instanceof Conflict)) throw error;
    }
    if (owned.get(partition.index) === partition) owned.delete(partition.index);
  }

  /** Forgets all partitions, such as after a reset. */
  loseAll(): void {
    for (const partition of [...this.#session.owned.values()]) this.#lose(partition);
  }

  #lose(partition: Partition<Events>): void {
    partition.lose();
    this.#session.owned.delete(partition.index);
    this.#notify();
  }

  /** Moves a partition in the background, unless it is on its way. */
  async #move(index: number, work: () => Promise<void>): Promise<void> {
    if (this.#isClosed || this.#moving.has(index)) return;
    const moving = this.#attempt(work);
    this.#moving.set(index, moving);
    await moving;
    this.#moving.delete(index);
    if (!this.#moving.size) this.#notify();
  }

  /** If the server cannot be reached, the next look begins the move again. */
  async #attempt(work: () => Promise<void>): Promise<void> {
    try {
      await work();
    } catch (error) {
      if (!isPassing(error)) this.#session.fail(error);
    }
  }

  #taken(): void {
    if (this.#hasTaken) this.#onTaken();
    this.#hasTaken = false;
  }

  /** Takes a partition that is free, or whose owner does not work any more. */
  async #take(
    index: number,
    version: string,
    working: readonly string[],
  ): Promise<void> {
    const { owned, records, member, requests: { signal } } = this.#session;
    let found = this.#others.get(index);
    if (found?.version !== version) found = await records.read<PartitionRecord>(partitionId(index), signal);
    if (!found) return;
    this.#others.set(index, found);
    const { owner } = found.value;
    // If the record has changed since it was listed, its owner works.
    if (found.version !== version || owner && owner !== member && working.includes(owner)) return;
    const partition = new Partition<Events>(index, found);
    try {
      await writeProgress(this.#session, partition, [], member);
    } catch (error) {
      // Another process was faster.
      if (error instanceof Conflict) return;
      throw error;
    }
    this.#others.delete(index);
    // A page of the first list may be older than the partition. Now only this process parks events in it.
    await this.#parked.load(partition, await records.list(signal));
    owned.set(index, partition);
    this.#hasTaken = true;
  }

  #notify(): void {
    const partitions = [...this.#session.owned.keys()].sort((a, b) => a - b);
    this.#session.notify({ kind: "partitions", partitions });
  }
}
