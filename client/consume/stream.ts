import { StoreReset } from "../errors.ts";
import type { Position, StoredEvent } from "../events.ts";
import { follow } from "../follow.ts";
import { SEQUENCES_MAX } from "../projector.ts";
import { partitionOf } from "./assignment.ts";
import { commitFinished } from "./commit.ts";
import type { Partition } from "./partition.ts";
import type { Session } from "./session.ts";
import { Wake } from "./wake.ts";
import type { Work } from "./work.ts";

/** The most events that a process has read and not completed, before it reads more. */
const OPEN_MAX = 1000;
const PAGE_EVENTS_MAX = 250;

/** So that the progress that others see moves, although no event matches. */
const WAIT_SECONDS = 5;

/** Reads the events of all partitions that this process owns, and hands them to the work. */
export class Stream<Events extends object> {
  readonly #session: Session<Events>;
  readonly #work: Work<Events>;
  readonly #changed = new Wake();
  #run = new AbortController();

  constructor(session: Session<Events>, work: Work<Events>) {
    this.#session = session;
    this.#work = work;
  }

  /** Begins to read again, after the process has got other partitions. */
  restart(): void {
    this.#run.abort();
    this.#changed.wake();
    this.#work.space.wake();
  }

  /** Reads until `end`. @throws StoreReset when the positions are void */
  async read(end: AbortSignal): Promise<void> {
    end.addEventListener("abort", () => this.restart());
    while (!end.aborted) {
      this.#run = new AbortController();
      const { signal } = this.#run;
      // Partitions that come later join with the next run, since this one may be ahead of them.
      const partitions = new Map([...this.#session.owned].filter(([, { isClosing }]) => !isClosing));
      const from = lowest([...partitions.values()]);
      if (!from) {
        await this.#changed.wait();
        continue;
      }
      try {
        await this.#readFrom(from, partitions, signal);
      } catch (error) {
        if (!signal.aborted || error instanceof StoreReset) throw error;
      }
    }
  }

  async #readFrom(
    from: Position,
    partitions: ReadonlyMap<number, Partition<Events>>,
    signal: AbortSignal,
  ): Promise<void> {
    const { server, consumer } = this.#session;
    const options = { from, limit: PAGE_EVENTS_MAX, waitSeconds: WAIT_SECONDS, signal };
    for await (const { events, checkpoint } of follow(server, consumer.query, options)) {
      for (const event of events) this.#take(event, partitions);
      for (const partition of partitions.values()) this.#reached(partition, checkpoint.sequence);
      this.#work.start();
      while (this.#openEvents() >= OPEN_MAX && !signal.aborted) await this.#work.space.wait();
      signal.throwIfAborted();
    }
  }

  #take(event: StoredEvent<Events>, partitions: ReadonlyMap<number, Partition<Events>>): void {
    const { main } = this.#session;
    const key = keyOf(this.#session, event);
    const partition = partitions.get(partitionOf(key, main.value.partitions));
    if (!partition || partition.isClosing || event.sequence <= partition.received) return;
    if (partition.isDone(event.sequence)) return;
    const item = { partition, event, key, failures: 0, conflicts: 0, seconds: 0 };
    partition.open.set(event.sequence, item);
    this.#work.add(item);
  }

  #reached(partition: Partition<Events>, sequence: number): void {
    if (partition.isClosing || sequence <= partition.received) return;
    partition.received = sequence;
    if (partition.open.size || sequence - partition.stored.value.checkpoint.sequence < SEQUENCES_MAX) return;
    commitFinished(this.#session, this.#work, partition, true).catch(this.#session.fail);
  }

  #openEvents(): number {
    let count = 0;
    for (const { open } of this.#session.owned.values()) count += open.size;
    return count;
  }
}

/** The value by which an event is in order. @throws TypeError when there are several */
export function keyOf<Events extends object>(
  { consumer: { by }, records: { name } }: Session<Events>,
  event: StoredEvent<Events>,
): string {
  const { sequence, identifiers } = event;
  const value = typeof by === "function"
    ? by(event)
    : by !== undefined && Object.hasOwn(identifiers, by)
    ? identifiers[by]
    : undefined;
  if (value === undefined || typeof value === "string") return value ?? "";
  const fault = typeof by === "function"
    ? `by returns ${JSON.stringify(value)} for event ${sequence}: a string or undefined is expected`
    : `event ${sequence} has several values of "${by}": let by be a function that chooses one`;
  throw new TypeError(`consumer "${name}": ${fault}`);
}

/** The position from which all partitions can continue. */
function lowest<Events extends object>(partitions: readonly Partition<Events>[]): Position | undefined {
  const [first] = partitions;
  const sequence = Math.min(...partitions.map(({ received }) => received));
  return first && { ...first.stored.value.checkpoint, sequence };
}
