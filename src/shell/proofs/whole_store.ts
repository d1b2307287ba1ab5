import type { Server } from "../../../client/server.ts";
import { GrowingTree, rootOver, type TreeHash } from "../../model/merkle_tree.ts";
import { NotVerified } from "../ends.ts";
import { type ClaimedRoot, type ServerProofs } from "./server_proofs.ts";
import type { EarlierRoot } from "./witness_file.ts";

/** The events of a block, as the server has them: it remembers the roots of complete blocks. */
const BLOCK_EVENTS = 1024;

const encoder = new TextEncoder();

/** The tree over the events that this program has read, with the roots of its complete blocks. */
class ReadTree {
  readonly blocks: string[] = [];
  readonly #hash: TreeHash;
  readonly #above: GrowingTree;
  #block: GrowingTree;
  head = 0;

  constructor(hash: TreeHash) {
    this.#hash = hash;
    this.#above = new GrowingTree(hash);
    this.#block = new GrowingTree(hash);
  }

  /** @param line without its line feed */
  add(line: string): void {
    this.#block.add(this.#hash.leaf(encoder.encode(line)));
    this.head++;
    if (this.#block.count < BLOCK_EVENTS) return;
    this.blocks.push(this.#block.root);
    this.#above.add(this.#block.root);
    this.#block = new GrowingTree(this.#hash);
  }

  get root(): string {
    const rest = this.#block.count === 0 ? [] : [this.#block.root];
    return rootOver(this.#hash, [...this.#above.state.roots, ...rest]);
  }

  /** Returns the root over some of the complete blocks. */
  rootOfBlocks(count: number): string {
    const tree = new GrowingTree(this.#hash);
    for (const block of this.blocks.slice(0, count)) tree.add(block);
    return tree.root;
  }
}

interface WholeCheck {
  readonly server: Server;
  readonly proofs: ServerProofs;
  readonly hash: TreeHash;
  readonly claimed: ClaimedRoot;
  /** Roots that the store must have had, the smallest head first. */
  readonly earlier: readonly EarlierRoot[];
}

/** Reads all events up to a head, and computes their root and those of earlier heads. @throws NotVerified */
export async function assertWhole({ server, proofs, hash, claimed, earlier }: WholeCheck): Promise<void> {
  const tree = new ReadTree(hash);
  const due = [...earlier];
  let good = 0;
  const check = (): void => {
    for (; due[0]?.head === tree.head; due.shift()) {
      const { root, head, source } = due[0];
      if (root !== tree.root) throw new NotVerified(changedMessage(good, head, `since ${source}`));
      good = head;
    }
  };
  check();
  for await (const line of storedLines(server, claimed)) {
    tree.add(line);
    check();
  }
  if (tree.root === claimed.root) return;
  const [first, last] = await differingEvents(proofs, tree);
  throw new NotVerified(changedMessage(first - 1, last, "since the server computed their root"));
}

function changedMessage(after: number, last: number, since: string): string {
  return `an event from ${after + 1} to ${last} has changed ${since}`;
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

/** Finds the first block whose root the server has computed differently. What follows the blocks has none. */
async function differingEvents(proofs: ServerProofs, tree: ReadTree): Promise<[first: number, last: number]> {
  let [same, other] = [0, tree.blocks.length + 1];
  while (other - same > 1) {
    const middle = Math.floor((same + other) / 2);
    const { root } = await proofs.root(middle * BLOCK_EVENTS);
    if (root === tree.rootOfBlocks(middle)) same = middle;
    else other = middle;
  }
  return [same * BLOCK_EVENTS + 1, Math.min((same + 1) * BLOCK_EVENTS, tree.head)];
}
