import type { StoredEvent } from "../events.ts";
import { readPage } from "../reading.ts";
import { isPassing } from "../retries.ts";
import type { Partition } from "./partition.ts";
import { parkedId, parkedOf, type ParkedRecord, type Stored } from "./records.ts";
import type { Session } from "./session.ts";
import { keyOf } from "./stream.ts";
import type { Work } from "./work.ts";

/** The parked events that a process knows, by their IDs, with their versions. */
type Known = ReadonlyMap<string, string>;

/** The parked events of the partitions that this process owns. It handles them again when a person wants it. */
export class ParkedEvents<Events extends object> {
  readonly #session: Session<Events>;
  readonly #work: Work<Events>;
  #isLooking = false;

  constructor(session: Session<Events>, work: Work<Events>) {
    this.#session = session;
    this.#work = work;
  }

  /** The parked events that are known before the records are listed. */
  known(): Known {
    return new Map(
      [...this.#session.owned.values()].flatMap(({ index, parked }) =>
        [...parked].map(([sequence, { version }]) => [parkedId(index, sequence), version] as const)
      ),
    );
  }

  /** Reads the parked events of a partition that this process has taken. */
  async load(partition: Partition<Events>, listed: ReadonlyMap<string, string>): Promise<void> {
    const sequences: number[] = [];
    for (const [id, version] of listed) {
      const [index, sequence = 0] = parkedOf(id) ?? [];
      if (index !== partition.index || partition.parked.get(sequence)?.version === version) continue;
      sequences.push(sequence);
    }
    // In order, so that the events of a key are handled again in order.
    for (const sequence of sequences.sort((a, b) => a - b)) {
      const found = await this.#session.records.read<ParkedRecord>(
        parkedId(partition.index, sequence),
        this.#session.requests.signal,
      );
      if (!found) continue;
      const event = found.value.retry ? await this.#read(sequence) : undefined;
      partition.parked.set(sequence, found);
      if (event) this.#retry(partition, event, found);
    }
  }

  /** Learns which parked events were dropped, and which are to be handled again. */
  look(listed: ReadonlyMap<string, string>, known: Known): void {
    const { owned, fail } = this.#session;
    for (const { index, parked } of owned.values()) {
      for (const [sequence, { version }] of parked) {
        const id = parkedId(index, sequence);
        if (!listed.has(id) && known.get(id) === version) parked.delete(sequence);
      }
    }
    if (this.#isLooking) return;
    this.#isLooking = true;
    const loading = [...owned.values()].map((partition) => this.load(partition, listed));
    Promise.all(loading)
      .then(() => this.#work.start())
      // The next list shows the same.
      .catch((error) => isPassing(error) || fail(error))
      .finally(() => this.#isLooking = false);
  }

  /** Reads an event; undefined if the option `notJson` leaves it out. */
  async #read(sequence: number): Promise<StoredEvent<Events> | undefined> {
    const { server, requests: { signal } } = this.#session;
    const { events } = await readPage<Events>(server, "*", { after: sequence - 1, limit: 1, signal });
    return events.find((event) => event.sequence === sequence);
  }

  #retry(partition: Partition<Events>, event: StoredEvent<Events>, parked: Stored<ParkedRecord>): void {
    if (partition.isClosing) return;
    const key = keyOf(this.#session, event);
    this.#work.add({ partition, event, key, parked, failures: 0, conflicts: 0, seconds: 0 });
  }
}
