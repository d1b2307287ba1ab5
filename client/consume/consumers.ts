import { Conflict, EventStoreError } from "../errors.ts";
import type { Position } from "../events.ts";
import { listProjections } from "../list_projections.ts";
import type { CallOptions } from "../options.ts";
import { mustSpeak, type Server } from "../server.ts";
import { type ProjectionChanges, write } from "../writing.ts";
import {
  MAIN,
  type MainRecord,
  memberId,
  memberOf,
  type MemberRecord,
  NAMES,
  parkedOf,
  type ParkedRecord,
  partitionId,
  type PartitionRecord,
  Records,
  type Stored,
} from "./records.ts";

/** The most records that are read at once. */
const READS_MAX = 16;

/** A consumer, with its progress. */
export interface ConsumerSummary {
  /** As it was given to `consume`. */
  readonly name: string;
  /** The identifier by which events are in order; `(function)` for a function, empty for one common order. */
  readonly by: string;
  /** The end of the store. */
  readonly head: Position;
  /** Sequences between the end of the store and the slowest partition. Not all of these events need to match. */
  readonly lag: number;
  /** The processes that work, or worked a few seconds ago. */
  readonly members: number;
  /** Events that wait for a person. */
  readonly parked: number;
}

/** A partition of a consumer. */
export interface ConsumerPartition {
  /** The number, from 0. */
  readonly partition: number;
  /** All events of the partition are done up to this sequence. */
  readonly upTo: number;
  /** The member that owns it; undefined if none does. */
  readonly member: string | undefined;
}

/** An event that the handler could not handle. */
export type ParkedEvent = ParkedRecord;

/** All that is known about a consumer. */
export interface ConsumerState extends Omit<ConsumerSummary, "members" | "parked"> {
  /** In the order of their numbers. */
  readonly partitions: readonly ConsumerPartition[];
  /** The IDs of the processes that work, or worked a few seconds ago. */
  readonly members: readonly string[];
  /** In the order of their sequences. */
  readonly parked: readonly ParkedEvent[];
}

/** The consumers of a store: `EventStore.consumers` returns it. */
export class Consumers {
  readonly #server: Server;

  /** `EventStore.consumers` calls it. */
  constructor(server: Server) {
    mustSpeak(server, "A");
    this.#server = server;
  }

  /**
   * All consumers, by name.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const consumers = await store.consumers();
   * for (const { name, lag, members } of await consumers.list()) console.log(name, lag, members);
   * ```
   */
  async list(options: CallOptions = {}): Promise<ConsumerSummary[]> {
    const { signal } = options;
    const names: string[] = [];
    for await (const { id } of listProjections(this.#server, { type: NAMES, signal })) names.push(id);
    const summaries: ConsumerSummary[] = [];
    for (const name of names.sort()) {
      const records = new Records(this.#server, name);
      const listed = await records.list(signal);
      const progress = await this.#progress(records, listed, signal);
      // The projections of its type were deleted.
      if (!progress) continue;
      const { partitions: _, members, ...summary } = progress;
      const parked = [...listed.keys()].filter(parkedOf).length;
      summaries.push({ ...summary, members: members.length, parked });
    }
    return summaries;
  }

  /**
   * One consumer, with its partitions, members and parked events; undefined when there is none.
   *
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const consumers = await store.consumers();
   * const invoices = await consumers.get("invoices");
   * for (const { sequence, error } of invoices?.parked ?? []) console.log(sequence, error);
   * ```
   */
  async get(name: string, options: CallOptions = {}): Promise<ConsumerState | undefined> {
    const { signal } = options;
    const records = new Records(this.#server, name);
    const listed = await records.list(signal);
    const progress = await this.#progress(records, listed, signal);
    if (!progress) return undefined;
    const parked = await this.#parked(records, listed, "all", signal);
    return { ...progress, parked: parked.map(([, { value }]) => value) };
  }

  /**
   * Lets the consumer handle parked events again, within seconds, in the order of their sequences.
   * @returns how many events
   * @throws EventStoreError with the code `ConsumerNotFound`
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const consumers = await store.consumers();
   * for (const { name } of await consumers.list()) await consumers.retry(name, "all");
   * ```
   */
  async retry(name: string, which: number | "all", options: CallOptions = {}): Promise<number> {
    return await this.#change(name, which, options, (records, id, { value, version }) => ({
      replace: [records.replaced(id, version, { ...value, retry: true })],
    }));
  }

  /**
   * Forgets parked events for good. They count as handled, without effects.
   * @returns how many events
   * @throws EventStoreError with the code `ConsumerNotFound`
   * @example
   * ```ts
   * import { EventStore } from "eventstore-client";
   *
   * const store = new EventStore({ url: "http://127.0.0.1:8085" });
   * const consumers = await store.consumers();
   * const invoices = await consumers.get("invoices");
   * if (invoices?.parked[0]) await consumers.drop("invoices", invoices.parked[0].sequence);
   * ```
   */
  async drop(name: string, which: number | "all", options: CallOptions = {}): Promise<number> {
    return await this.#change(name, which, options, ({ type }, id, { version }) => ({
      delete: [{ type, id, version }],
    }));
  }

  async #change(
    name: string,
    which: number | "all",
    { signal }: CallOptions,
    changes: (records: Records, id: string, parked: Stored<ParkedRecord>) => ProjectionChanges,
  ): Promise<number> {
    const records = new Records(this.#server, name);
    const listed = await records.list(signal);
    if (!listed.has(MAIN)) {
      throw new EventStoreError({ code: "ConsumerNotFound", message: `there is no consumer "${name}"` });
    }
    let count = 0;
    for (const [id, parked] of await this.#parked(records, listed, which, signal)) {
      for (let found: Stored<ParkedRecord> | undefined = parked; found;) {
        try {
          await write(this.#server, [], { projections: changes(records, id, found), signal });
          count++;
          break;
        } catch (error) {
          // The consumer has handled the event again.
          if (!(error instanceof Conflict)) throw error;
          found = await records.read<ParkedRecord>(id, signal);
        }
      }
    }
    return count;
  }

  async #progress(
    records: Records,
    listed: ReadonlyMap<string, string>,
    signal: AbortSignal | undefined,
  ): Promise<Omit<ConsumerState, "parked"> | undefined> {
    const main = await records.read<MainRecord>(MAIN, signal);
    if (!main) return undefined;
    const members = [...listed.keys()].flatMap((id) => memberOf(id) ?? []).sort();
    const beats = await readAll<MemberRecord>(records, members.map(memberId), signal);
    const indexes = Array.from({ length: main.value.partitions }, (_, index) => index);
    const found = await readAll<PartitionRecord>(records, indexes.map(partitionId), signal);
    const head = await records.head(signal);
    const partitions = indexes.map((partition) => {
      const { checkpoint, owner: member } = found.get(partitionId(partition))?.value ?? {};
      const upTo = checkpoint?.storeId === head.storeId ? checkpoint.sequence : 0;
      const beat = member === undefined ? undefined : beats.get(memberId(member));
      return { partition, upTo: Math.max(upTo, beat?.value.upTo ?? 0), member };
    });
    const lag = Math.max(0, head.sequence - Math.min(...partitions.map(({ upTo }) => upTo)));
    return { name: records.name, by: main.value.by, head, lag, partitions, members };
  }

  async #parked(
    records: Records,
    listed: ReadonlyMap<string, string>,
    which: number | "all",
    signal: AbortSignal | undefined,
  ): Promise<[id: string, parked: Stored<ParkedRecord>][]> {
    const ids = [...listed.keys()].filter((id) => {
      const [, sequence] = parkedOf(id) ?? [];
      return sequence !== undefined && (which === "all" || sequence === which);
    });
    const found = await readAll<ParkedRecord>(records, ids, signal);
    return [...found].sort(([, a], [, b]) => a.value.sequence - b.value.sequence);
  }
}

/** Reads records, several at once. Those that are missing are left out. */
async function readAll<Value>(
  records: Records,
  ids: readonly string[],
  signal: AbortSignal | undefined,
): Promise<Map<string, Stored<Value>>> {
  const all = new Map<string, Stored<Value>>();
  for (let i = 0; i < ids.length; i += READS_MAX) {
    const part = ids.slice(i, i + READS_MAX);
    const found = await Promise.all(part.map((id) => records.read<Value>(id, signal)));
    for (const [j, stored] of found.entries()) if (stored) all.set(part[j]!, stored);
  }
  return all;
}
