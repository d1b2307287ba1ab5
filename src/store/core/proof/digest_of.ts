import type { LeafRange } from "../../../model/merkle_proof.ts";
import { GrowingTree, type TreeState } from "../../../model/merkle_tree.ts";
import type { StoreReads } from "../../api/store.ts";
import { platformHash } from "./hash_lines.ts";

/** The digest of a range of leaves; undefined when the store does not have all of them. */
interface RangeDigest {
  readonly storeId: string;
  readonly digest: string | undefined;
}

/**
 * Reads events and computes the digest of a range of leaves, in short reads.
 * @param hashed the first of them, which are not read again
 * @throws as `StoreReads.subtree`
 */
export async function digestOf(
  reads: Pick<StoreReads, "subtree">,
  { from, to }: LeafRange,
  hashed: TreeState,
): Promise<RangeDigest> {
  let done = hashed;
  let begun: string | undefined;
  while (true) {
    const part = await reads.subtree({ first: from + 1, last: to, done });
    const { storeId, head } = part;
    begun ??= storeId;
    if (head < to || storeId !== begun) return { storeId, digest: undefined };
    done = part.done;
    if (done.count === to - from) return { storeId, digest: new GrowingTree(platformHash(), done).root };
  }
}
