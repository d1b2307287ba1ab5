/*
 * The Merkle tree of RFC 9162, section 2.1. A digest is a text of 64 hexadecimal digits in lower case. Leaves are
 * numbered from 0.
 */

/** Returns the SHA-256 of bytes as hexadecimal digits. The platform has it, and loading it takes time. */
export type Sha256 = (bytes: Uint8Array) => string;

const DIGEST_BYTES = 32;

/** The byte before the bytes of a leaf. */
export const LEAF_PREFIX = 0;

/** The byte before the two digests of a node. */
export const NODE_PREFIX = 1;

/** The digests of a tree's leaves and nodes. */
export class TreeHash {
  readonly #sha256: Sha256;
  readonly #node = new Uint8Array(1 + 2 * DIGEST_BYTES);
  readonly #left = this.#node.subarray(1, 1 + DIGEST_BYTES);
  readonly #right = this.#node.subarray(1 + DIGEST_BYTES);

  constructor(sha256: Sha256) {
    this.#sha256 = sha256;
    this.#node[0] = NODE_PREFIX;
  }

  /** The root of a tree without leaves. */
  get empty(): string {
    return this.#sha256(new Uint8Array(0));
  }

  leaf(line: Uint8Array): string {
    const bytes = new Uint8Array(1 + line.length);
    bytes[0] = LEAF_PREFIX;
    bytes.set(line, 1);
    return this.#sha256(bytes);
  }

  /** @param bytes a leaf behind its prefix */
  prefixedLeaf(bytes: Uint8Array): string {
    return this.#sha256(bytes);
  }

  node(left: string, right: string): string {
    this.#left.setFromHex(left);
    this.#right.setFromHex(right);
    return this.#sha256(this.#node);
  }
}

/** The leaves of a tree so far, as the roots of its complete subtrees. */
export interface TreeState {
  readonly count: number;
  /** The largest subtree first. */
  readonly roots: readonly string[];
}

/** Returns how many complete subtrees a tree of so many leaves has: one for each bit of their number that is set. */
export function completeSubtrees(count: number): number {
  return count.toString(2).replaceAll("0", "").length;
}

export const EMPTY_TREE: TreeState = { count: 0, roots: [] };

/** A tree to which leaves are added. It takes the memory of its height. */
export class GrowingTree {
  readonly #hash: TreeHash;
  readonly #roots: string[];
  #count: number;

  constructor(hash: TreeHash, { count, roots }: TreeState = EMPTY_TREE) {
    this.#hash = hash;
    this.#count = count;
    this.#roots = [...roots];
  }

  get count(): number {
    return this.#count;
  }

  get state(): TreeState {
    return { count: this.#count, roots: [...this.#roots] };
  }

  /** @param leaf the digest of the next leaf */
  add(leaf: string): void {
    let digest = leaf;
    for (let full = this.#count; full % 2 === 1; full = Math.floor(full / 2)) {
      digest = this.#hash.node(this.#roots.pop()!, digest);
    }
    this.#roots.push(digest);
    this.#count++;
  }

  get root(): string {
    return rootOver(this.#hash, this.#roots);
  }
}

/** Returns the root of a tree from the roots of its complete subtrees. */
export function rootOver(hash: TreeHash, roots: readonly string[]): string {
  const [last, ...rest] = roots.toReversed();
  return last === undefined ? hash.empty : rest.reduce((right, left) => hash.node(left, right), last);
}
