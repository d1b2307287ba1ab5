import { BlockTree } from "../../model/block_tree.ts";
import { LEAF_PREFIX, type TreeState } from "../../model/merkle_tree.ts";
import { platformHash } from "../../store/core/proof/hash_lines.ts";
import { LineBuffer } from "./line_buffer.ts";

/** The tree over the lines of a history, which is also that of `GET /proof`. */
export class LineTree {
  readonly tree: BlockTree;
  readonly #hash = platformHash();
  readonly #buffer = new LineBuffer(1);

  /** @param blocks those to continue */
  constructor(blocks: readonly TreeState[] = []) {
    this.tree = new BlockTree(this.#hash, blocks);
    this.#buffer.start[0] = LEAF_PREFIX;
  }

  /** @param line an event's line with its line feed, which is no part of the leaf, as text or as its UTF-8 bytes */
  add(line: string | Uint8Array): void {
    this.tree.add(this.#hash.prefixedLeaf(this.#buffer.with(line).subarray(0, -1)));
  }
}
