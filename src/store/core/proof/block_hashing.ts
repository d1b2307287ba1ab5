import { delay } from "../../../async/delay.ts";
import { withTimeout } from "../../../async/with_timeout.ts";
import { BLOCK_EVENTS } from "../../../model/block_tree.ts";
import type { Outcome } from "../../api/outcome.ts";
import type { StoreState } from "../../api/state.ts";
import type { Store } from "../../api/store.ts";
import type { StoreWrite, WriteResult } from "../../api/write.ts";
import { BlockRoots } from "./block_roots.ts";
import { platformHash } from "./hash_lines.ts";
import { type HashedEvents, SavedRoots } from "./saved_roots.ts";

/** How often it looks whether events were written. */
const TICK_MILLISECONDS = 1000;

/** After hashing for some time, it leaves the reader to others for so many times as long. */
const REST = 3;

/** With more new events in a tick, it waits until fewer come, or until a request needs the blocks. */
const BUSY_EVENTS = 2000;

/** New roots are saved at once, but not more often than this. */
const SAVE_MILLISECONDS = 5000;

/**
 * BlockHashing hashes the events of a store in blocks, some time after they were written, so a write does nothing for
 * it. From then on an event cannot change without notice.
 */
export class BlockHashing {
  readonly #store: Pick<Store, "feed" | "reads">;
  readonly #saved: SavedRoots;
  #blocks: BlockRoots | undefined;
  #headAtTick: number;
  #saveAt = 0;
  #hashing: Promise<BlockRoots> | undefined;
  #timer: ReturnType<typeof setTimeout> | undefined;
  #ticking: Promise<void> | undefined;
  #isClosed = false;

  /** @param write writes in its turn, as a client does */
  constructor(
    store: Pick<Store, "feed" | "reads">,
    write: (write: StoreWrite) => Promise<Outcome<WriteResult>>,
  ) {
    this.#store = store;
    this.#saved = new SavedRoots(store.reads, write);
    this.#headAtTick = store.feed.state.head;
    this.#tickLater();
  }

  /** How many events of the store are in blocks whose roots are known. */
  get events(): number {
    const blocks = this.#blocks;
    return blocks?.storeId === this.#store.feed.state.storeId ? blocks.events : 0;
  }

  /**
   * Returns the roots of all blocks up to a head, or fewer when they take too long. If the store was replaced, they
   * may belong to another one.
   * @throws as `StoreReads.subtree`
   */
  async upTo({ storeId, head }: StoreState, milliseconds: number): Promise<BlockRoots> {
    const until = performance.now() + milliseconds;
    let blocks = await this.#blocksOf(storeId);
    while (blocks.events + BLOCK_EVENTS <= head) {
      const left = until - performance.now();
      if (left <= 0) return blocks;
      blocks = await withTimeout(this.#hash(), left, () => blocks);
    }
    return blocks;
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    clearTimeout(this.#timer);
    await this.#ticking;
  }

  #tickLater(milliseconds: number = TICK_MILLISECONDS): void {
    this.#timer = setTimeout(() => this.#ticking = this.#tick(), milliseconds);
  }

  async #tick(): Promise<void> {
    const begun = performance.now();
    const { storeId, head } = this.#store.feed.state;
    const isBusy = head - this.#headAtTick > BUSY_EVENTS;
    this.#headAtTick = head;
    try {
      if (!isBusy) await this.#follow({ storeId, head });
      await this.#saveIfDue();
    } catch {
      // A request reports what is wrong with reads or writes. The next tick tries again.
    }
    if (!this.#isClosed) this.#tickLater(Math.max(0, begun + TICK_MILLISECONDS - performance.now()));
  }

  async #follow({ storeId, head }: StoreState): Promise<void> {
    const until = performance.now() + TICK_MILLISECONDS;
    if (head === 0) return;
    let blocks = await this.#blocksOf(storeId);
    while (!this.#isClosed && blocks.storeId === storeId && blocks.events + blocks.last.count < head) {
      const begun = performance.now();
      if (begun > until) return;
      blocks = await this.#hash();
      await delay(REST * (performance.now() - begun));
    }
  }

  /** Returns the blocks of a store, as far as they are known. After a reset they are loaded again. */
  async #blocksOf(storeId: string): Promise<BlockRoots> {
    if (this.#blocks?.storeId !== storeId) this.#blocks = await this.#load();
    return this.#blocks;
  }

  /** Hashes the next events, at most up to the end of their block. All who need it at the same time share it. */
  #hash(): Promise<BlockRoots> {
    return this.#hashing ??= this.#hashNext().finally(() => this.#hashing = undefined);
  }

  async #hashNext(): Promise<BlockRoots> {
    const blocks = this.#blocks ??= await this.#load();
    const { events, last } = blocks;
    const next = { first: events + 1, last: events + BLOCK_EVENTS, done: last };
    const { storeId, done } = await this.#store.reads.subtree(next);
    // After a reset the blocks are gone.
    if (storeId !== blocks.storeId) return this.#blocks = await this.#load();
    // Meanwhile, they may have been taken from another server.
    if (blocks.events === events && blocks.last === last) blocks.continueLast(done);
    return blocks;
  }

  async #load(): Promise<BlockRoots> {
    return blocksOf(await this.#saved.load());
  }

  async #saveIfDue(): Promise<void> {
    if (performance.now() < this.#saveAt || !this.#isAhead) return;
    this.#saveAt = performance.now() + SAVE_MILLISECONDS;
    // Without this, several servers would reject each other's writes, which an operator would see.
    await this.#adopt();
    while (this.#blocks !== undefined && this.#isAhead) {
      const { storeId, count, last } = this.#blocks;
      const roots = this.#blocks.slice(this.#saved.pageStart, count);
      if (!await this.#saved.save({ storeId, roots, last })) return;
    }
  }

  /** True if more events are hashed than saved. */
  get #isAhead(): boolean {
    const blocks = this.#blocks;
    return blocks !== undefined && blocks.events + blocks.last.count > this.#saved.events;
  }

  /** Takes the roots that another server has saved. They are the older ones, so they show what has changed since. */
  async #adopt(): Promise<void> {
    const start = this.#saved.pageStart;
    const { storeId, roots, last } = await this.#saved.load(start);
    const blocks = this.#blocks;
    if (storeId !== blocks?.storeId) return void (this.#blocks = undefined);
    // All projections were deleted, or this page was never written.
    if (roots.length === 0 && start > 0) await this.#saved.load();
    const count = start + roots.length;
    const known = blocks.slice(start, count);
    if (roots.every((root, i) => root === (known[i] ?? root))) {
      for (const root of roots.slice(known.length)) blocks.add(root);
      if (blocks.count === count && last.count > 0) blocks.continueLast(last);
    } else {
      const rest = blocks.slice(count, blocks.count);
      const all = [...blocks.slice(0, start), ...roots, ...rest];
      this.#blocks = blocksOf({ storeId, roots: all, last: rest.length > 0 ? blocks.last : last });
    }
  }
}

function blocksOf({ storeId, roots, last }: HashedEvents): BlockRoots {
  const blocks = new BlockRoots(platformHash(), storeId);
  for (const root of roots) blocks.add(root);
  blocks.continueLast(last);
  return blocks;
}
