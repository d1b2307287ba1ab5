import type { BlockTree } from "./block_tree.ts";

/** The root of a store at a head, as it was once, and where it is from, for messages. */
export interface EarlierRoot {
  /** undefined when only root and head are known. */
  readonly storeId: string | undefined;
  readonly head: number;
  readonly root: string;
  readonly source: string;
}

export const ROOT = /^[0-9a-f]{64}$/;

/** Compares a tree with earlier roots while it grows. */
export class EarlierRoots {
  /** The smallest head first. */
  readonly #all: readonly EarlierRoot[];
  #compared = 0;
  /** The last head at which the root was the earlier one. */
  #equalUpTo = 0;

  constructor(roots: readonly EarlierRoot[]) {
    this.#all = roots.toSorted((one, other) => one.head - other.head);
  }

  /** The number of roots that were compared. */
  get compared(): number {
    return this.#compared;
  }

  /**
   * Compares the roots at the number of leaves that the tree has now. It must have been called for each number before.
   * @returns which events have changed when one differs
   */
  compare(tree: BlockTree): string | undefined {
    for (let next = this.#all[this.#compared]; next?.head === tree.count;) {
      this.#compared++;
      if (next.root !== tree.root) return changedText(this.#equalUpTo, next.head, `since ${next.source}`);
      this.#equalUpTo = next.head;
      next = this.#all[this.#compared];
    }
    return undefined;
  }
}

/** @param since when, in words */
export function changedText(after: number, last: number, since: string): string {
  return `an event from ${after + 1} to ${last} has changed ${since}`;
}
