import assert from "node:assert/strict";
import { hash as digestOf } from "node:crypto";
import { BLOCK_EVENTS, BlockTree, type TreeBlocks } from "../../src/model/block_tree.ts";
import { GrowingTree, TreeHash, type TreeState } from "../../src/model/merkle_tree.ts";
import { seededRandom, testSeed } from "../support/test_seed.ts";

const hash = new TreeHash((bytes) => digestOf("sha256", bytes, "hex"));
const LEAVES = Array.from({ length: 5 * BLOCK_EVENTS + 3 }, (_, i) => hash.leaf(Uint8Array.of(i, i >> 8)));

function rootOf(count: number): string {
  const tree = new GrowingTree(hash);
  for (const leaf of LEAVES.slice(0, count)) tree.add(leaf);
  return tree.root;
}

/** The blocks as a file has them. */
function written(stored: TreeState[], { first, blocks }: TreeBlocks): void {
  for (const [i, block] of blocks.entries()) stored[first + i] = block;
}

Deno.test("a tree that is stored block by block, and continued from there, has the root of the whole tree", () => {
  const random = seededRandom(testSeed());
  const stored: TreeState[] = [];
  for (let count = 0; count < LEAVES.length;) {
    const tree = new BlockTree(hash, stored);
    assert.equal(tree.count, count);
    assert.equal(tree.root, rootOf(count));
    const next = Math.min(LEAVES.length, count + random(2) * random(3000) + random(3));
    for (const leaf of LEAVES.slice(count, next)) tree.add(leaf);
    written(stored, tree.blocksSince(count));
    count = next;
  }
  assert.equal(new BlockTree(hash, stored).root, rootOf(LEAVES.length));
});

for (const count of [0, 1, BLOCK_EVENTS - 1, BLOCK_EVENTS, BLOCK_EVENTS + 1, 3 * BLOCK_EVENTS]) {
  Deno.test(`the blocks of ${count} events: each complete one has one root, and the rest those of its subtrees`, () => {
    const tree = new BlockTree(hash);
    for (const leaf of LEAVES.slice(0, count)) tree.add(leaf);
    const { first, blocks } = tree.blocksSince(0);
    assert.equal(first, 0);
    assert.equal(blocks.length, Math.ceil(count / BLOCK_EVENTS));
    for (const [i, block] of blocks.entries()) {
      const inBlock = LEAVES.slice(i * BLOCK_EVENTS, Math.min(count, (i + 1) * BLOCK_EVENTS));
      const expected = new GrowingTree(hash);
      for (const leaf of inBlock) expected.add(leaf);
      assert.deepEqual(block, expected.state);
    }
    assert.equal(tree.completeBlocks, Math.floor(count / BLOCK_EVENTS));
    assert.equal(tree.rootOfBlocks(tree.completeBlocks), rootOf(tree.completeBlocks * BLOCK_EVENTS));
  });
}
