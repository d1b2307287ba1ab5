import { BLOCK_EVENTS } from "../../../model/block_tree.ts";
import type { LeafRange } from "../../../model/merkle_proof.ts";
import { EMPTY_TREE, rootOver, type TreeHash, type TreeState } from "../../../model/merkle_tree.ts";

/**
 * The roots of the complete blocks of a store and the nodes above them, 150 bytes for each block, and the part of the
 * next block that is hashed.
 */
export class BlockRoots {
  readonly storeId: string;
  readonly #hash: TreeHash;
  /** The roots of blocks, then of two blocks each, then of four, and so on. */
  readonly #levels: string[][] = [[]];
  #last = EMPTY_TREE;

  constructor(hash: TreeHash, storeId: string) {
    this.#hash = hash;
    this.storeId = storeId;
  }

  /** The number of blocks. */
  get count(): number {
    return this.#levels[0]!.length;
  }

  /** The events that are hashed after the last complete block. */
  get last(): TreeState {
    return this.#last;
  }

  /** Takes a larger part of the block after the last complete one. */
  continueLast(last: TreeState): void {
    if (last.count < BLOCK_EVENTS) this.#last = last;
    else this.add(rootOver(this.#hash, last.roots));
  }

  /** The number of events in complete blocks. */
  get events(): number {
    return this.count * BLOCK_EVENTS;
  }

  /** Adds the root of the next block. */
  add(root: string): void {
    this.#last = EMPTY_TREE;
    let node = root;
    for (let level = 0;; level++) {
      const nodes = this.#levels[level] ??= [];
      nodes.push(node);
      if (nodes.length % 2 === 1) return;
      node = this.#hash.node(nodes.at(-2)!, node);
    }
  }

  /** Returns the roots of the blocks of a range. */
  slice(from: number, to: number): string[] {
    return this.#levels[0]!.slice(from, to);
  }

  /** Returns the digest of a range of leaves if it is one of these nodes. */
  at({ from, to }: LeafRange): string | undefined {
    let level = 0;
    let size = BLOCK_EVENTS;
    for (; size < to - from; size *= 2) level++;
    return size === to - from && from % size === 0 ? this.#levels[level]?.[from / size] : undefined;
  }
}
