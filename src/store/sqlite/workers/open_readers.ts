import type { PooledReader } from "./pooled_reader.ts";
import type { ReaderLimits } from "./reader_limits.ts";

/** The readers of a pool that are open or being opened. Those beyond the usual number end when they are not needed. */
export class OpenReaders {
  readonly #limits: ReaderLimits;
  readonly #all = new Set<PooledReader>();
  /** The reader that was used last is at the end, so that the first one may become spare. */
  #idle: PooledReader[] = [];
  /** The fewest readers that were idle at once since the last check. */
  #spare = 0;
  /** Set while there are more readers than usual. */
  #lookForSpare: ReturnType<typeof setTimeout> | undefined;

  constructor(limits: ReaderLimits) {
    this.#limits = limits;
  }

  get size(): number {
    return this.#all.size;
  }

  get inUse(): number {
    return [...this.#all].filter(({ isIdle }) => !isIdle).length;
  }

  get hasIdle(): boolean {
    return this.#idle.length > 0;
  }

  /** True when one more reader may execute short reads. */
  get mayAddForShort(): boolean {
    let quick = 0;
    for (const { isQuick } of this.#all) if (isQuick) quick++;
    return quick < this.#limits.forShort;
  }

  /** True when another reader should execute short reads that wait in a reader. */
  get isShortOfQuick(): boolean {
    return [...this.#all].some(({ hasAhead }) => hasAhead) && this.mayAddForShort;
  }

  /** The busy reader with the most capacity for short reads, if any has some. */
  get roomiest(): PooledReader | undefined {
    let roomiest: PooledReader | undefined;
    for (const reader of this.#all) {
      if (!reader.isIdle && reader.capacity > (roomiest?.capacity ?? 0)) roomiest = reader;
    }
    return roomiest;
  }

  /**
   * True when there are fewer readers than usual, not counting those that are busy for long.
   * @param forOthers whether reads wait that are not short
   */
  areFew(forOthers: boolean): boolean {
    const now = performance.now();
    const { usual, forShort, longMilliseconds } = this.#limits;
    const present = [...this.#all].filter((reader) =>
      reader.isIdle || reader.busyFor(now) < longMilliseconds
    );
    const short = present.filter(({ isIdle, isQuick }) => isIdle || isQuick);
    return present.length < usual && (forOthers || short.length < forShort);
  }

  has(reader: PooledReader): boolean {
    return this.#all.has(reader);
  }

  add(reader: PooledReader): void {
    this.#all.add(reader);
  }

  remove(reader: PooledReader): void {
    this.#all.delete(reader);
    this.#idle = this.#idle.filter((other) => other !== reader);
  }

  addIdle(reader: PooledReader): void {
    if (!this.#idle.includes(reader)) this.#idle.push(reader);
  }

  takeIdle(): PooledReader | undefined {
    const reader = this.#idle.pop();
    this.#spare = Math.min(this.#spare, this.#idle.length);
    return reader;
  }

  takeAllIdle(): PooledReader[] {
    return this.#idle.splice(0);
  }

  /** Since a read waits, no reader is spare until the next check. */
  needAll(): void {
    this.#spare = 0;
  }

  endSpareLater(): void {
    if (this.size <= this.#limits.usual) return;
    this.#spare = this.#idle.length;
    this.#lookForSpare ??= setTimeout(() => {
      this.#lookForSpare = undefined;
      this.#endSpare();
      this.endSpareLater();
    }, this.#limits.spareMilliseconds);
  }

  /** Closes idle readers, and cuts off the others. */
  async close(): Promise<void> {
    clearTimeout(this.#lookForSpare);
    await Promise.all(this.takeAllIdle().map((reader) => reader.close()));
    for (const reader of this.#all) reader.terminate();
    this.#all.clear();
    this.#idle = [];
  }

  /** Ends readers that were idle all the time, which releases their memory. */
  #endSpare(): void {
    const count = Math.min(this.#spare, this.#idle.length, this.size - this.#limits.usual);
    for (const reader of this.#idle.slice(0, count)) {
      this.remove(reader);
      reader.close();
    }
  }
}
