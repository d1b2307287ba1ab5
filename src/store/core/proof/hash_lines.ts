import { GrowingTree, LEAF_PREFIX, TreeHash } from "../../../model/merkle_tree.ts";
import type { Chunk, ChunkRequest } from "../../api/chunk.ts";
import { platformCrypto } from "../sealing/platform_crypto.ts";
import type { SubtreePart, SubtreeRequest } from "../../api/subtree.ts";

const LINE_FEED = 0x0a;

let hash: TreeHash | undefined;

/** Returns the digests of a tree, computed by the platform. */
export function platformHash(): TreeHash {
  return hash ??= new TreeHash((bytes) => platformCrypto().hash("sha256", bytes, "hex"));
}

/** Returns the request for the next events of a subtree. */
export function subtreeChunk({ first, last, done: { count } }: SubtreeRequest): ChunkRequest {
  return {
    query: "every",
    stored: true,
    afterSequence: first - 1 + count,
    beforeSequence: last + 1,
    limit: Infinity,
    head: undefined,
  };
}

/** Adds the events of a chunk to a subtree. The lines of the chunk are changed. */
export function addChunk({ done }: SubtreeRequest, { storeId, head, lines }: Chunk): SubtreePart {
  const hash = platformHash();
  const tree = new GrowingTree(hash, done);
  // The byte before a line is the line feed of the line before it. The prefix of a leaf takes its place.
  const first = lines.indexOf(LINE_FEED);
  if (first >= 0) tree.add(hash.leaf(lines.subarray(0, first)));
  for (let start = first; start >= 0;) {
    const end = lines.indexOf(LINE_FEED, start + 1);
    if (end < 0) break;
    lines[start] = LEAF_PREFIX;
    tree.add(hash.prefixedLeaf(lines.subarray(start, end)));
    start = end;
  }
  return { storeId, head, done: tree.state };
}
