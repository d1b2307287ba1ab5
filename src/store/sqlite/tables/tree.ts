import { BLOCK_EVENTS, type TreeBlocks } from "../../../model/block_tree.ts";
import { completeSubtrees, type TreeState } from "../../../model/merkle_tree.ts";
import type { Database } from "../connection/database.ts";
import { changeAdditions, readAdditions } from "./additions.ts";
import { TREE } from "./schema.ts";

const DIGEST_BYTES = 32;

/** The tree of a backup as the file has it. */
export interface StoredTree {
  readonly blocks: readonly TreeState[];
  /** Says that blocks cannot be those of a tree. */
  readonly fault: string | undefined;
}

/** True for a backup, unless an earlier version of the program made it. */
export function hasTree(db: Database): boolean {
  return readAdditions(db).tree;
}

/** Creates the table of the tree. */
export function addTree(db: Database): void {
  db.script(TREE);
  changeAdditions(db, { tree: true });
}

/** Deletes the tree, if there is one, so that a store remains. */
export function deleteTree(db: Database): void {
  if (!hasTree(db)) return;
  db.script("DROP TABLE tree_block");
  changeAdditions(db, { tree: false });
}

export function readTree(db: Database): StoredTree {
  const rows = db.all("SELECT block, events, roots FROM tree_block ORDER BY block") as [
    number,
    number,
    Uint8Array,
  ][];
  const blocks = rows.map(([, events, roots]) => ({ count: events, roots: digestsIn(roots) }));
  const wrong = rows.findIndex(([block, events, roots], i) =>
    block !== i || !isBlock(events, roots, i === rows.length - 1)
  );
  return { blocks, fault: wrong < 0 ? undefined : `the Merkle tree has no block ${wrong}, or a damaged one` };
}

/** Returns how many events the tree is of. */
export function eventsIn(blocks: readonly TreeState[]): number {
  return blocks.reduce((sum, { count }) => sum + count, 0);
}

/** Stores blocks of the tree, new ones and those that have grown. */
export function writeBlocks(db: Database, { first, blocks }: TreeBlocks): void {
  for (const [i, { count, roots }] of blocks.entries()) {
    db.run(
      "INSERT OR REPLACE INTO tree_block (block, events, roots) VALUES (?, ?, ?)",
      BigInt(first + i),
      BigInt(count),
      Uint8Array.fromHex(roots.join("")),
    );
  }
}

function isBlock(events: number, roots: Uint8Array, isLast: boolean): boolean {
  const isCount = events === BLOCK_EVENTS || (isLast && events > 0 && events < BLOCK_EVENTS);
  return isCount && roots.length === DIGEST_BYTES * completeSubtrees(events);
}

function digestsIn(roots: Uint8Array): string[] {
  const digests: string[] = [];
  for (let at = 0; at < roots.length; at += DIGEST_BYTES) {
    digests.push(roots.subarray(at, at + DIGEST_BYTES).toHex());
  }
  return digests;
}
