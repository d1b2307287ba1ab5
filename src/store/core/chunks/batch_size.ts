import type { StoredEvent } from "./chunk_search.ts";

/** Limits for the batches in which a storage reads the events of a range. */
export interface BatchLimits {
  /** The first batch has this many events, while their size is unknown. */
  readonly eventsFirst: number;
  readonly eventsMin: number;
  readonly eventsMax: number;
  /** A batch has at least about this size: events that were read need not match. */
  readonly bytesMin: number;
  /** If given, the batches together should have this size. */
  readonly bytesMax?: number;
}

/** Chooses how many events the next batch has, by the average size of events in the batches before it. */
export class BatchSize {
  readonly #limits: BatchLimits;
  #bytesLeft: number;
  /** The events so far and their size. Each batch counts half as much as the next one. */
  #events = 0;
  #bytes = 0;

  /** @param bytesEach average size of such events, if known */
  constructor(limits: BatchLimits, bytesEach?: number) {
    this.#limits = limits;
    this.#bytesLeft = limits.bytesMax ?? 0;
    if (bytesEach !== undefined) [this.#events, this.#bytes] = [1, bytesEach];
  }

  /** Average size of the events so far; undefined when there were none. */
  get bytesEach(): number | undefined {
    return this.#events === 0 ? undefined : this.#bytes / this.#events;
  }

  get next(): number {
    const { bytesEach } = this;
    const { eventsFirst, eventsMin, eventsMax, bytesMin } = this.#limits;
    if (bytesEach === undefined) return eventsFirst;
    const wanted = Math.ceil(Math.max(bytesMin, this.#bytesLeft) / Math.max(1, bytesEach));
    return Math.max(eventsMin, Math.min(eventsMax, wanted));
  }

  count(rows: readonly StoredEvent[]): void {
    let bytes = 0;
    for (const { body } of rows) bytes += body.length;
    this.#bytesLeft -= bytes;
    this.#events = this.#events / 2 + rows.length;
    this.#bytes = this.#bytes / 2 + bytes;
  }
}
