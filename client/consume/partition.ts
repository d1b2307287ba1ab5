import type { NewEvent, StoredEvent } from "../events.ts";
import type { Condition } from "../queries.ts";
import type { ProjectionChanges } from "../writing.ts";
import type { ParkedRecord, PartitionRecord, Stored } from "./records.ts";
import { Signals } from "./signals.ts";
import { Wake } from "./wake.ts";

/** The result of handling an event, in the form in which it is written. */
export interface Output<Events extends object> {
  readonly events: readonly NewEvent<Events>[];
  readonly projections: ProjectionChanges;
  readonly conditions: readonly Condition<Events>[];
  /** Present if the event is parked instead. */
  readonly parked?: ParkedRecord;
  /** Why it is parked; undefined if an earlier event of its key is parked. */
  readonly failure?: { readonly error: unknown } | undefined;
}

/** An event in a partition, until its effects are committed. */
export interface Item<Events extends object> {
  readonly partition: Partition<Events>;
  readonly event: StoredEvent<Events>;
  readonly key: string;
  /** The record of a parked event that is handled again. */
  readonly parked?: Stored<ParkedRecord> | undefined;
  failures: number;
  conflicts: number;
  /** The time in the last call of the handler. */
  seconds: number;
  output?: Output<Events>;
}

/** A partition that this process owns, with its events that are not yet done. */
export class Partition<Events extends object> {
  readonly index: number;
  /** The record as it was written last, and its version. */
  stored: Stored<PartitionRecord>;
  /** All events of the partition up to here are known. */
  received: number;
  /** Events of the stream that are not yet committed, by sequence, in order. */
  readonly open = new Map<number, Item<Events>>();
  /** Events by key, in order. Only the first one of a key is handled. */
  readonly lanes = new Map<string, Item<Events>[]>();
  /** Handled events that wait for a commit. */
  readonly finished: Item<Events>[] = [];
  /** Parked events, by sequence. */
  readonly parked = new Map<number, Stored<ParkedRecord>>();
  /** Handlers that run. */
  inWork = 0;
  isCommitting = false;
  /** Aborted when no further handler may start. */
  readonly closing = new Signals();
  /** Aborted when another process may own the partition. */
  readonly lost = new Signals();
  /** Wakes when the work in progress may have ended. */
  readonly changed = new Wake();
  /** Events after the checkpoint that were done before this process owned the partition. */
  readonly #done: ReadonlySet<number>;

  constructor(index: number, stored: Stored<PartitionRecord>) {
    this.index = index;
    this.stored = stored;
    this.received = stored.value.checkpoint.sequence;
    this.#done = new Set(stored.value.done);
  }

  get isClosing(): boolean {
    return this.closing.aborted;
  }

  get isLost(): boolean {
    return this.lost.aborted;
  }

  get isIdle(): boolean {
    return !this.inWork && !this.finished.length && !this.isCommitting;
  }

  /** All events up to this sequence are done. */
  get upTo(): number {
    for (const sequence of this.open.keys()) return sequence - 1;
    return this.received;
  }

  /** True if an earlier owner has completed the event. */
  isDone(sequence: number): boolean {
    return this.#done.has(sequence);
  }

  /** True if an earlier event of the key is parked. */
  hasParkedBefore(key: string, sequence: number): boolean {
    for (const [parked, { value }] of this.parked) if (value.key === key && parked < sequence) return true;
    return false;
  }

  /** Lets no further handler start. */
  close(): void {
    this.closing.abort(new Error(`partition ${this.index} is released`));
    this.changed.wake();
  }

  /** Ends everything: another process may own the partition. */
  lose(): void {
    this.close();
    this.lost.abort(new Error(`partition ${this.index} is handled by another process`));
    this.finished.length = 0;
  }
}
