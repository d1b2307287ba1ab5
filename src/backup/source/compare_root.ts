import type { BlockTree } from "../../model/block_tree.ts";
import { differingEvents } from "../../model/differing_events.ts";
import type { Source } from "./source.ts";

/**
 * Compares the root of a backup with the one that the source gives for the same events. A source that gives none is not
 * compared: see `Source.root`.
 * @throws Error that names the events of the first block that differs
 */
export async function assertSameRoot(source: Source, storeId: string, tree: BlockTree): Promise<void> {
  const root = await source.root(storeId, tree.count);
  if (root === undefined || root === tree.root) return;
  const rootAt = async (head: number): Promise<string> => await source.root(storeId, head) ?? "";
  const [first, last] = await differingEvents(tree, rootAt);
  throw new Error(
    `the source ${source.name} has another root of the events ${first} to ${last} than the backup: one of them has ` +
      "changed there since it was copied, or the saved root; verify --against-source shows which",
  );
}
