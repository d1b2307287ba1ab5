import { Conflict } from "../errors.ts";
import { jitter } from "../retries.ts";
import { commitFinished } from "./commit.ts";
import { handle } from "./handling.ts";
import { parkedOutput } from "./output.ts";
import type { Item, Output } from "./partition.ts";
import type { Session } from "./session.ts";
import { Wake } from "./wake.ts";

/** The most sequences in the record of a partition, whose size is limited. */
const DONE_MAX = 1000;

/** So that the first pause is a third of a second on average, and the longest a second. */
const FAILURES_BEFORE = 4;

/** After so many conflicts the attempt has failed. */
const CONFLICTS_MAX = 10;

/** Calls the handler: one event of a key at a time, several keys in parallel. */
export class Work<Events extends object> {
  readonly #session: Session<Events>;
  /** True while the lease is certain. */
  readonly #mayStart: () => boolean;
  /** The first events of their keys that are ready to be handled. */
  #ready: Item<Events>[] = [];
  #running = 0;
  /** Wakes when there may be space for further events. */
  readonly space = new Wake();

  constructor(session: Session<Events>, mayStart: () => boolean) {
    this.#session = session;
    this.#mayStart = mayStart;
  }

  /** Adds an event behind the others of its key. */
  add(item: Item<Events>): void {
    const { lanes } = item.partition;
    const lane = lanes.get(item.key);
    if (lane) lane.push(item);
    else {
      lanes.set(item.key, [item]);
      this.#ready.push(item);
    }
  }

  /** Starts as many handlers as may run. Call it when something has changed. */
  start(): void {
    const starting: Item<Events>[] = [];
    this.#ready = this.#ready.filter((item) => {
      const { partition } = item;
      if (partition.isClosing) return false;
      const isFree = this.#running < this.#session.concurrency && this.#mayStart();
      if (!isFree || isTooFarAhead(item)) return true;
      this.#running++;
      partition.inWork++;
      starting.push(item);
      return false;
    });
    // They may start others, so the list is complete before.
    for (const item of starting) this.#run(item).catch(this.#session.fail);
    this.space.wake();
  }

  /** The effects of an event are durable. The next one of its key may start. */
  completed({ partition, event, key }: Item<Events>): void {
    const { lanes, open } = partition;
    open.delete(event.sequence);
    const lane = lanes.get(key)!;
    lane.shift();
    if (lane[0]) this.#ready.push(lane[0]);
    else lanes.delete(key);
  }

  /** The store has rejected the output of an event. After a conflict, the handler reads again. */
  rejected(item: Item<Events>, error: unknown): void {
    if (item.output!.parked) throw error;
    if (error instanceof Conflict && ++item.conflicts < CONFLICTS_MAX) {
      this.#later(item, item.conflicts).catch(this.#session.fail);
    } else this.#failed(item, error);
  }

  async #run(item: Item<Events>): Promise<void> {
    const { partition, event, key } = item;
    const { parksKeys, records } = this.#session;
    let failure: { readonly error: unknown } | undefined;
    let output: Output<Events> | undefined;
    try {
      output = await (parksKeys && partition.hasParkedBefore(key, event.sequence)
        ? parkedOutput(records, item)
        : handle(this.#session, item));
    } catch (error) {
      failure = { error };
    } finally {
      this.#running--;
      partition.inWork--;
    }
    if (failure) this.#failed(item, failure.error);
    else this.#finished(item, output!);
    partition.changed.wake();
    this.start();
  }

  #failed(item: Item<Events>, error: unknown): void {
    if (item.partition.isLost) return;
    const { attempts, records, notify } = this.#session;
    item.conflicts = 0;
    if (++item.failures >= attempts) return this.#finished(item, parkedOutput(records, item, { error }));
    notify({ kind: "failed", sequence: item.event.sequence, attempt: item.failures, error });
    this.#later(item, FAILURES_BEFORE + item.failures).catch(this.#session.fail);
  }

  #finished(item: Item<Events>, output: Output<Events>): void {
    const { partition } = item;
    if (partition.isLost) return;
    item.output = output;
    partition.finished.push(item);
    commitFinished(this.#session, this, partition).catch(this.#session.fail);
  }

  async #later(item: Item<Events>, failures: number): Promise<void> {
    const { partition } = item;
    await partition.closing.during((signal) => jitter(failures, signal)).catch(() => {});
    // Another process handles the event if this one releases the partition.
    if (partition.isClosing) return;
    this.#ready.push(item);
    this.start();
  }
}

function isTooFarAhead<Events extends object>({ partition, event }: Item<Events>): boolean {
  return partition.stored.value.done.length >= DONE_MAX && event.sequence > partition.upTo + 1;
}
