import { StoreReset } from "../errors.ts";
import { repeated, retriesFor } from "../retries.ts";
import { Members } from "./members.ts";
import { Ownership } from "./ownership.ts";
import { ParkedEvents } from "./parked_events.ts";
import { renew } from "./registration.ts";
import type { Session } from "./session.ts";
import { Stream } from "./stream.ts";
import { Wake } from "./wake.ts";
import { Work } from "./work.ts";

/** Heartbeats in the time of a lease. */
const BEATS = 3;

/** The life of a process among the others that share a consumer: its heartbeat, its partitions, their events. */
export class Lease<Events extends object> {
  readonly #session: Session<Events>;
  readonly #members: Members<Events>;
  readonly #ownership: Ownership<Events>;
  readonly #stream: Stream<Events>;
  readonly #work: Work<Events>;
  /** Aborted when the process takes no further partitions and events. */
  readonly #end: AbortSignal;
  readonly #left = new Wake();
  #isLeaving = false;
  #keeping: Promise<void> | undefined;
  /** The time of the last heartbeat after which the partitions were still those of this process. */
  #confirmedAt = -Infinity;

  constructor(session: Session<Events>, end: AbortSignal) {
    this.#session = session;
    this.#end = end;
    this.#work = new Work(session, () => this.#isCertain());
    const parked = new ParkedEvents(session, this.#work);
    this.#members = new Members(session);
    this.#stream = new Stream(session, this.#work);
    this.#ownership = new Ownership(session, this.#members, parked, () => this.#stream.restart());
  }

  /** Writes heartbeats, and takes and releases partitions. */
  async keep(): Promise<void> {
    await (this.#keeping = this.#keep());
  }

  /** Reads the events of the partitions. */
  async read(): Promise<void> {
    const { server, records, requests } = this.#session;
    while (!this.#end.aborted) {
      try {
        await this.#stream.read(this.#end);
      } catch (error) {
        if (!(error instanceof StoreReset)) throw error;
        this.#ownership.loseAll();
        const { signal } = requests;
        await repeated(retriesFor(server, signal, true), () => renew(records, signal));
      }
    }
  }

  /**
   * Releases everything, so that other processes take over at once. Handlers that run may end in the time of a lease.
   */
  async leave(): Promise<void> {
    const { leaseSeconds, requests } = this.#session;
    const grace = setTimeout(() => this.#ownership.loseAll(), 1000 * leaseSeconds);
    const atLast = setTimeout(() => requests.abort(), 2000 * leaseSeconds);
    try {
      await this.#ownership.releaseAll();
      this.#isLeaving = true;
      this.#left.wake();
      await this.#keeping;
      await this.#members.leave();
    } catch {
      // The others take over when the lease is over. The caller throws the error that ended the consumer.
    } finally {
      clearTimeout(grace);
      clearTimeout(atLast);
      this.#isLeaving = true;
      this.#left.wake();
      requests.abort();
    }
  }

  async #keep(): Promise<void> {
    const { server, leaseSeconds, requests, notify, owned } = this.#session;
    const retries = retriesFor(server, requests.signal, true);
    while (!this.#isLeaving) {
      try {
        const begunAt = performance.now();
        await this.#members.beat();
        if (!this.#end.aborted) await this.#ownership.look();
        this.#confirmedAt = begunAt;
        retries.reset();
        this.#work.start();
      } catch (error) {
        await retries.after(error);
        continue;
      }
      const open = [...owned.values()].reduce((sum, partition) => sum + partition.open.size, 0);
      notify({ kind: "progress", open });
      await this.#left.wait(1000 * leaseSeconds / BEATS);
    }
  }

  /** False after a pause of the whole process, until the partitions have been confirmed. */
  #isCertain(): boolean {
    return !this.#end.aborted && performance.now() - this.#confirmedAt < 1000 * this.#session.leaseSeconds;
  }
}
