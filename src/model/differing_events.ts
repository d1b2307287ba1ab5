import { BLOCK_EVENTS, type BlockTree } from "./block_tree.ts";

/**
 * Finds the first block whose root is another one elsewhere, or the events after the last complete block.
 * @param rootAt returns the root over all events up to a head there
 */
export async function differingEvents(
  tree: BlockTree,
  rootAt: (head: number) => Promise<string>,
): Promise<[first: number, last: number]> {
  let [same, other] = [0, tree.completeBlocks + 1];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const root = await rootAt(middle * BLOCK_EVENTS);
    if (root === tree.rootOfBlocks(middle)) same = middle;
    else other = middle;
  }
  return [same * BLOCK_EVENTS + 1, Math.min((same + 1) * BLOCK_EVENTS, tree.count)];
}
