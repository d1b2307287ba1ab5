import type { Server } from "../../../client/server.ts";
import { BlockTree } from "../../model/block_tree.ts";
import { differingEvents } from "../../model/differing_events.ts";
import { changedText, type EarlierRoot, EarlierRoots } from "../../model/earlier_roots.ts";
import type { TreeHash } from "../../model/merkle_tree.ts";
import { NotVerified } from "../ends.ts";
import { type ClaimedRoot, type ServerProofs } from "./server_proofs.ts";
import { SubjectKeys } from "./subject_keys.ts";

const encoder = new TextEncoder();

interface WholeCheck {
  readonly server: Server;
  readonly proofs: ServerProofs;
  readonly hash: TreeHash;
  readonly claimed: ClaimedRoot;
  /** Roots that the store must have had. */
  readonly earlier: readonly EarlierRoot[];
}

/**
 * Reads all events up to a head, computes their root and those of earlier heads, and compares the keys of subjects.
 * @returns undefined if the server has no list of keys to compare
 * @throws NotVerified
 */
export async function assertWhole(
  { server, proofs, hash, claimed, earlier }: WholeCheck,
): Promise<SubjectKeys | undefined> {
  const keys = await SubjectKeys.read(server, claimed.storeId);
  const tree = new BlockTree(hash);
  const roots = new EarlierRoots(earlier);
  const check = (): void => {
    const change = roots.compare(tree);
    if (change !== undefined) throw new NotVerified(change);
  };
  check();
  for await (const line of storedLines(server, claimed)) {
    tree.add(hash.leaf(encoder.encode(line)));
    keys?.add(line);
    check();
  }
  if (tree.root === claimed.root) {
    keys?.assertFits();
    return keys;
  }
  const [first, last] = await differingEvents(tree, async (head) => (await proofs.root(head)).root);
  throw new NotVerified(changedText(first - 1, last, "since the server computed their root"));
}

/** Yields the lines of the events up to a head, without line feeds. @throws NotVerified when one is missing */
async function* storedLines(server: Server, { storeId, head }: ClaimedRoot): AsyncGenerator<string, void> {
  let last = 0;
  while (last < head) {
    const begun = last;
    const answer = await server.begin({
      method: "QUERY",
      path: "/events/stored",
      body: { afterSequence: last },
    });
    const sent = answer.header("x-service-store");
    if (sent !== storeId) throw new NotVerified(`the store was replaced by ${sent} while it was read`);
    let isComplete = false;
    for await (const lines of answer.lines()) {
      for (const line of lines) {
        if (line.startsWith('{"hasMore":')) isComplete = true;
        else if (last < head) {
          if (!line.startsWith(`{"sequence":${last + 1},`)) throw missing(last + 1, line);
          last++;
          yield line;
        }
      }
    }
    if (!isComplete) throw answer.lost("half a page");
    if (last === begun) {
      throw new NotVerified(`event ${last + 1} is missing: the server sent no event after ${last}`);
    }
  }
}

function missing(sequence: number, line: string): NotVerified {
  return new NotVerified(
    `event ${sequence} is missing: the server sent ${JSON.stringify(line.slice(0, 60))}`,
  );
}
