import { BLOCK_EVENTS, type BlockTree } from "../../model/block_tree.ts";
import type { TreeState } from "../../model/merkle_tree.ts";
import type { Database } from "../../store/sqlite/connection/database.ts";
import { eventsIn, hasTree, readTree, type StoredTree } from "../../store/sqlite/tables/tree.ts";
import { LineTree } from "./line_tree.ts";
import { OldChainCheck } from "./old_chain.ts";

/** Compares the events of a backup, in their order, with the tree that was stored when they were copied. */
export class CopiedCheck {
  readonly #lines = new LineTree();
  readonly #stored: StoredTree | OldChainCheck;

  constructor(db: Database) {
    this.#stored = hasTree(db) ? readTree(db) : new OldChainCheck(db);
  }

  /** The tree over the events so far. */
  get tree(): BlockTree {
    return this.#lines.tree;
  }

  /** @param line with its line feed */
  add(line: string): void {
    this.#lines.add(line);
    if (this.#stored instanceof OldChainCheck) this.#stored.add(line);
  }

  /** Returns the difference after the last event, if there is one. */
  fault(): string | undefined {
    return this.#stored instanceof OldChainCheck ? this.#stored.fault() : treeFault(this.tree, this.#stored);
  }
}

function treeFault(tree: BlockTree, { blocks, fault }: StoredTree): string | undefined {
  if (fault !== undefined) return fault;
  const found = tree.blocksSince(0).blocks;
  const differing = blocks.flatMap((block, i) => isChanged(block, found[i]) ? [i] : []);
  const [first] = differing;
  if (first !== undefined) {
    const range = `${first * BLOCK_EVENTS + 1} to ${Math.min((first + 1) * BLOCK_EVENTS, tree.count)}`;
    const more = differing.length === 1 ? "" : `, and ${differing.length - 1} more blocks differ`;
    return `the Merkle tree differs: at least one of events ${range} is not what was copied${more}`;
  }
  const count = eventsIn(blocks);
  return count === tree.count
    ? undefined
    : `the Merkle tree differs: it is of ${count} events, not of ${tree.count}`;
}

/** Blocks of different lengths cannot be compared. */
function isChanged(block: TreeState, found: TreeState | undefined): boolean {
  return block.count === found?.count && block.roots.join() !== found.roots.join();
}
