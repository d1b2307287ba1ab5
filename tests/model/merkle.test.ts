import assert from "node:assert/strict";
import { hash as digestOf } from "node:crypto";
import {
  consistencyRanges,
  inclusionRanges,
  isConsistent,
  type LeafRange,
  rootOfInclusion,
} from "../../src/model/merkle_proof.ts";
import { GrowingTree, TreeHash } from "../../src/model/merkle_tree.ts";
import fc from "../support/fast_check.ts";

const hash = new TreeHash((bytes) => digestOf("sha256", bytes, "hex"));

/** The leaves, roots and proofs that implementations of RFC 6962 and RFC 9162 test with. */
const LEAVES = [
  "",
  "00",
  "10",
  "2021",
  "3031",
  "40414243",
  "5051525354555657",
  "606162636465666768696a6b6c6d6e6f",
];
const ROOTS = [
  "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
  "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
  "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
  "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
  "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
  "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
  "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
  "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
];
const FIRST_OF_EIGHT = [
  "96a296d224f285c67bee93c30f8a309157f0daa35dc5b87e410b78630a09cfc7",
  "5f083f0a1a33ca076a95279832580db3e0ef4584bdff1f54c8a360f50de3031e",
  "6b47aaf29ee3c2af9af889bc1fb9254dabd31177f16232dd6aab035ca39bf6e4",
];
const SIX_TO_EIGHT = [
  "0ebc5d3437fbe2db158b9f126a1d118e308181031d0a949f8dededebc558ef6a",
  "ca854ea128ed050b41b35ffc1b87b8eb2bde461e9e3b5596ece6b9d5975a0ae0",
  "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
];

const known = LEAVES.map((hex) => hash.leaf(Uint8Array.fromHex(hex)));

/** The definition of the RFC's section 2.1.1, word by word. */
function naiveRoot(leaves: readonly string[]): string {
  if (leaves.length === 0) return hash.empty;
  if (leaves.length === 1) return leaves[0]!;
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  return hash.node(naiveRoot(leaves.slice(0, split)), naiveRoot(leaves.slice(split)));
}

/** Section 2.1.3.1. */
function naivePath(index: number, leaves: readonly string[]): string[] {
  if (leaves.length === 1) return [];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return index < split
    ? [...naivePath(index, left), naiveRoot(right)]
    : [...naivePath(index - split, right), naiveRoot(left)];
}

/** Section 2.1.4.1. */
function naiveConsistency(first: number, leaves: readonly string[], isWhole: boolean): string[] {
  if (first === leaves.length) return isWhole ? [] : [naiveRoot(leaves)];
  let split = 1;
  while (split * 2 < leaves.length) split *= 2;
  const [left, right] = [leaves.slice(0, split), leaves.slice(split)];
  return first <= split
    ? [...naiveConsistency(first, left, isWhole), naiveRoot(right)]
    : [...naiveConsistency(first - split, right, false), naiveRoot(left)];
}

function digestsOf(ranges: readonly LeafRange[], leaves: readonly string[]): string[] {
  return ranges.map(({ from, to }) => naiveRoot(leaves.slice(from, to)));
}

function flipped(digest: string, bit: number): string {
  const bytes = Uint8Array.fromHex(digest);
  bytes[bit >> 3]! ^= 1 << (bit % 8);
  return bytes.toHex();
}

Deno.test("roots and proofs are those of the known vectors", () => {
  const tree = new GrowingTree(hash);
  const roots = [tree.root];
  for (const leaf of known) {
    tree.add(leaf);
    roots.push(tree.root);
  }
  assert.deepEqual(roots, ROOTS);
  assert.deepEqual(digestsOf(inclusionRanges(0, 8), known), FIRST_OF_EIGHT);
  assert.deepEqual(digestsOf(consistencyRanges(6, 8), known), SIX_TO_EIGHT);
});

const trees = fc.tuple(fc.integer({ min: 1, max: 70 }), fc.nat(), fc.nat(), fc.nat({ max: 255 }));

function madeLeaves(count: number): string[] {
  return Array.from({ length: count }, (_, i) => hash.leaf(new TextEncoder().encode(`event ${i}`)));
}

Deno.test("every tree has the root of the definition, also when it is continued from its state", () => {
  fc.assert(fc.property(trees, ([size, at]) => {
    const leaves = madeLeaves(size);
    const begun = new GrowingTree(hash);
    for (const leaf of leaves.slice(0, at % size)) begun.add(leaf);
    const tree = new GrowingTree(hash, JSON.parse(JSON.stringify(begun.state)));
    for (const leaf of leaves.slice(at % size)) tree.add(leaf);
    assert.equal(tree.root, naiveRoot(leaves));
    assert.equal(tree.count, size);
  }));
});

Deno.test("every proof of inclusion verifies, and none with one changed bit does", () => {
  fc.assert(fc.property(trees, ([size, at, which, bit]) => {
    const leaves = madeLeaves(size);
    const [index, root] = [at % size, naiveRoot(leaves)];
    const path = digestsOf(inclusionRanges(index, size), leaves);
    assert.deepEqual(path, naivePath(index, leaves));
    const proof = { index, size, leaf: leaves[index]!, path };
    assert.equal(rootOfInclusion(hash, proof), root);
    assert.notEqual(rootOfInclusion(hash, { ...proof, leaf: flipped(proof.leaf, bit) }), root);
    assert.notEqual(rootOfInclusion(hash, { ...proof, path: [...path, root] }), root);
    if (size === 1) return;
    const wrong = path.with(which % path.length, flipped(path[which % path.length]!, bit));
    assert.notEqual(rootOfInclusion(hash, { ...proof, path: wrong }), root);
    assert.notEqual(rootOfInclusion(hash, { ...proof, path: path.slice(1) }), root);
    assert.notEqual(rootOfInclusion(hash, { ...proof, index: (index + 1) % size }), root);
  }));
});

Deno.test("every proof of consistency verifies, and none with one changed bit does", () => {
  fc.assert(fc.property(trees, ([size, at, which, bit]) => {
    const leaves = madeLeaves(size);
    const first = at % (size + 1);
    const [firstRoot, root] = [naiveRoot(leaves.slice(0, first)), naiveRoot(leaves)];
    const path = digestsOf(consistencyRanges(first, size), leaves);
    if (first > 0) assert.deepEqual(path, naiveConsistency(first, leaves, true));
    const proof = { first, size, firstRoot, root, path };
    assert.ok(isConsistent(hash, proof));
    assert.ok(!isConsistent(hash, { ...proof, firstRoot: flipped(firstRoot, bit) }));
    assert.ok(!isConsistent(hash, { ...proof, path: [...path, root] }));
    // The root of an empty tree is a part of every tree: its proof says nothing of the larger one.
    if (first > 0) assert.ok(!isConsistent(hash, { ...proof, root: flipped(root, bit) }));
    if (path.length === 0) return;
    const wrong = path.with(which % path.length, flipped(path[which % path.length]!, bit));
    assert.ok(!isConsistent(hash, { ...proof, path: wrong }));
    assert.ok(!isConsistent(hash, { ...proof, path: path.slice(1) }));
  }));
});
