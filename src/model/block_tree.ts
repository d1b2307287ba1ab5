import { GrowingTree, rootOver, type TreeHash, type TreeState } from "./merkle_tree.ts";

/** The number of events of a block: a power of two, so that complete blocks are nodes of the tree. */
export const BLOCK_EVENTS = 1024;

/** Blocks that follow each other, the last of which may be incomplete. */
export interface TreeBlocks {
  /** The index of the first one. */
  readonly first: number;
  readonly blocks: readonly TreeState[];
}

/** A growing tree over the events of a store, with the roots of its complete blocks. */
export class BlockTree {
  readonly #hash: TreeHash;
  readonly #roots: string[] = [];
  readonly #above: GrowingTree;
  /** The block that is not complete. */
  #last: GrowingTree;

  /** @param blocks those to continue, all but the last one complete */
  constructor(hash: TreeHash, blocks: readonly TreeState[] = []) {
    this.#hash = hash;
    this.#above = new GrowingTree(hash);
    this.#last = new GrowingTree(hash);
    for (const block of blocks) {
      this.#last = new GrowingTree(hash, block);
      this.#completeBlock();
    }
  }

  /** The number of leaves. */
  get count(): number {
    return this.#roots.length * BLOCK_EVENTS + this.#last.count;
  }

  /** The number of complete blocks. */
  get completeBlocks(): number {
    return this.#roots.length;
  }

  /** @param leaf the digest of the next leaf */
  add(leaf: string): void {
    this.#last.add(leaf);
    this.#completeBlock();
  }

  get root(): string {
    const rest = this.#last.count === 0 ? [] : [this.#last.root];
    return rootOver(this.#hash, [...this.#above.state.roots, ...rest]);
  }

  /** Returns the root over the first complete blocks. */
  rootOfBlocks(count: number): string {
    const tree = new GrowingTree(this.#hash);
    for (const root of this.#roots.slice(0, count)) tree.add(root);
    return tree.root;
  }

  /** Returns the blocks that have changed since the tree had so many leaves. */
  blocksSince(count: number): TreeBlocks {
    const first = Math.floor(count / BLOCK_EVENTS);
    const complete = this.#roots.slice(first).map((root) => ({ count: BLOCK_EVENTS, roots: [root] }));
    return { first, blocks: this.#last.count === 0 ? complete : [...complete, this.#last.state] };
  }

  #completeBlock(): void {
    if (this.#last.count < BLOCK_EVENTS) return;
    const { root } = this.#last;
    this.#roots.push(root);
    this.#above.add(root);
    this.#last = new GrowingTree(this.#hash);
  }
}
