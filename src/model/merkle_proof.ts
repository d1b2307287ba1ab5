import type { TreeHash } from "./merkle_tree.ts";

/*
 * The proofs of RFC 9162, sections 2.1.3 and 2.1.4. A proof is a list of digests of subtrees. Here a subtree is the
 * range of its leaves, so a server needs only the digests of ranges.
 */

/** Computes the nodes of a tree. In a browser a digest is a promise, because only its own SHA-256 is at hand there. */
export interface NodeHash<Digest> {
  node(left: Digest, right: Digest): Digest;
}

/** The leaves from one index up to, but without, another one. */
export interface LeafRange {
  readonly from: number;
  readonly to: number;
}

/** Returns the size of the left subtree of a tree with at least two leaves. */
export function leftSize(size: number): number {
  let left = 1;
  while (2 * left < size) left *= 2;
  return left;
}

/** The subtrees whose digests prove that a tree of this size contains a leaf, the lowest first. */
export function inclusionRanges(index: number, size: number): LeafRange[] {
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to - from > 1) {
    const middle = from + leftSize(to - from);
    ranges.push(index < middle ? { from: middle, to } : { from, to: middle });
    if (index < middle) to = middle;
    else from = middle;
  }
  return ranges.reverse();
}

/** The subtrees whose digests prove that a tree begins with the leaves of a smaller one. */
export function consistencyRanges(first: number, size: number): LeafRange[] {
  if (first === 0 || first === size) return [];
  const ranges: LeafRange[] = [];
  let [from, to] = [0, size];
  while (to !== first) {
    const middle = from + leftSize(to - from);
    if (first <= middle) {
      ranges.push({ from: middle, to });
      to = middle;
    } else {
      ranges.push({ from, to: middle });
      from = middle;
    }
  }
  // The verifier knows the root of the smaller tree.
  if (from > 0) ranges.push({ from, to });
  return ranges.reverse();
}

interface Inclusion<Digest> {
  readonly index: number;
  readonly size: number;
  /** The digest of the leaf. */
  readonly leaf: Digest;
  readonly path: readonly Digest[];
}

/** Returns the root that a proof of inclusion leads to, or undefined when it has the wrong length. */
export function rootOfInclusion<Digest>(
  hash: NodeHash<Digest>,
  { index, size, leaf, path }: Inclusion<Digest>,
): Digest | undefined {
  if (!(index < size)) return undefined;
  let [node, last] = [index, size - 1];
  let root = leaf;
  for (const digest of path) {
    if (last === 0) return undefined;
    if (node % 2 === 1 || node === last) {
      root = hash.node(digest, root);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else root = hash.node(root, digest);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 ? root : undefined;
}

interface Consistency {
  readonly first: number;
  readonly size: number;
  readonly firstRoot: string;
  readonly root: string;
  readonly path: readonly string[];
}

/** True when a proof shows that the tree of the root begins with the tree of the first root. */
export function isConsistent(
  hash: TreeHash,
  { first, size, firstRoot, root, path }: Consistency,
): boolean {
  if (first > size) return false;
  if (first === size) return path.length === 0 && firstRoot === root;
  if (first === 0) return path.length === 0 && firstRoot === hash.empty;
  const isWhole = leftSize(first + 1) === first;
  const [start, ...rest] = isWhole ? [firstRoot, ...path] : path;
  if (start === undefined) return false;
  let [node, last] = [first - 1, size - 1];
  while (node % 2 === 1) [node, last] = [half(node), half(last)];
  let [small, large] = [start, start];
  for (const digest of rest) {
    if (last === 0) return false;
    if (node % 2 === 1 || node === last) {
      small = hash.node(digest, small);
      large = hash.node(digest, large);
      while (node % 2 === 0 && node !== 0) [node, last] = [half(node), half(last)];
    } else large = hash.node(large, digest);
    [node, last] = [half(node), half(last)];
  }
  return last === 0 && small === firstRoot && large === root;
}

function half(number: number): number {
  return Math.floor(number / 2);
}
