import { BLOCK_EVENTS } from "../../../model/block_tree.ts";
import { ApiError } from "../../../model/errors.ts";
import { consistencyRanges, inclusionRanges, type LeafRange, leftSize } from "../../../model/merkle_proof.ts";
import { EMPTY_TREE } from "../../../model/merkle_tree.ts";
import type { Outcome } from "../../api/outcome.ts";
import type { Store } from "../../api/store.ts";
import type { StoreWrite, WriteResult } from "../../api/write.ts";
import { BlockHashing } from "./block_hashing.ts";
import type { BlockRoots } from "./block_roots.ts";
import { digestOf } from "./digest_of.ts";
import { platformHash } from "./hash_lines.ts";

/** How long an answer may take to hash blocks that are missing. */
const HASHING_MILLISECONDS = 5000;

/** A reset may come while a proof is made. */
const TRIES_MAX = 3;

/** The subject of a proof: nothing but a root, one event, or an earlier head. */
export type ProofSubject = { readonly sequence?: number | undefined; readonly from?: number | undefined };

/** The root of all events up to a head. Digests are hexadecimal. */
export interface RootDocument {
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
}

/** The proof that the root covers an event. `event` is its stored line without the line feed. */
export interface InclusionDocument extends RootDocument {
  readonly sequence: number;
  readonly event: string;
  readonly path: readonly string[];
}

/** The proof that the events up to `head` begin with those up to `from`. */
export interface ConsistencyDocument extends RootDocument {
  readonly from: number;
  readonly fromRoot: string;
  readonly path: readonly string[];
}

export type ProofDocument = RootDocument | InclusionDocument | ConsistencyDocument;

/** The store was replaced while a proof was made. */
class StoreChanged extends Error {}

const decoder = new TextDecoder();

/** Makes proofs over the events of a store, as they are stored. */
export class Proofs {
  readonly #reads: Store["reads"];
  readonly #hashing: BlockHashing;

  /** @param write writes in its turn, as a client does */
  constructor(
    store: Pick<Store, "feed" | "reads">,
    write: (write: StoreWrite) => Promise<Outcome<WriteResult>>,
  ) {
    this.#reads = store.reads;
    this.#hashing = new BlockHashing(store, write);
  }

  /**
   * Returns a root with a proof. Without a head, it is that of the store.
   * @throws ApiError `InvalidRequest` that names a parameter beyond the head, `Unavailable` while the server has not
   *   hashed enough; and as `StoreReads.subtree`
   */
  async document(subject: ProofSubject, head: number | undefined): Promise<ProofDocument> {
    for (let tries = 1;; tries++) {
      try {
        return await this.#document(subject, head);
      } catch (error) {
        if (!(error instanceof StoreChanged)) throw error;
        if (tries === TRIES_MAX) throw new ApiError("Unavailable", "the store was reset meanwhile");
      }
    }
  }

  /** How many events, from the first on, are in blocks whose roots are known. */
  get hashedEvents(): number {
    return this.#hashing.events;
  }

  async close(): Promise<void> {
    await this.#hashing.close();
  }

  async #document({ sequence, from }: ProofSubject, asked: number | undefined): Promise<ProofDocument> {
    const { storeId, head: last } = await this.#reads.subtree({ first: 1, last: 0, done: EMPTY_TREE });
    const head = asked ?? last;
    assertAtMost("head", asked, last, "the head of the store");
    const reason = asked === undefined ? "the head of the store" : "head";
    assertAtMost("sequence", sequence, head, reason);
    assertAtMost("from", from, head, reason);
    const blocks = await this.#hashing.upTo({ storeId, head }, HASHING_MILLISECONDS);
    if (blocks.storeId !== storeId) throw new StoreChanged();
    if (blocks.events + BLOCK_EVENTS <= head) {
      const progress = `the server has hashed the events up to ${blocks.events} of ${last}`;
      throw new ApiError(
        "Unavailable",
        `${progress}; try again later, or with a head up to ${blocks.events}`,
      );
    }
    const digest = (range: LeafRange): Promise<string> => this.#digest(blocks, range);
    const root = { storeId, head, root: await digest({ from: 0, to: head }) };
    if (sequence !== undefined) {
      const event = await this.#line(storeId, sequence);
      return { ...root, sequence, event, path: await inOrder(inclusionRanges(sequence - 1, head), digest) };
    }
    if (from === undefined) return root;
    const fromRoot = await digest({ from: 0, to: from });
    return { ...root, from, fromRoot, path: await inOrder(consistencyRanges(from, head), digest) };
  }

  async #digest(blocks: BlockRoots, { from, to }: LeafRange): Promise<string> {
    if (from === to) return platformHash().empty;
    const known = blocks.at({ from, to });
    if (known !== undefined) return known;
    if (to - from <= BLOCK_EVENTS) {
      // The root then covers the events of the last block as they were when they were hashed.
      const hashed = from === blocks.events && to - from >= blocks.last.count ? blocks.last : EMPTY_TREE;
      const { storeId, digest } = await digestOf(this.#reads, { from, to }, hashed);
      if (storeId !== blocks.storeId || digest === undefined) throw new StoreChanged();
      return digest;
    }
    const middle = from + leftSize(to - from);
    const left = await this.#digest(blocks, { from, to: middle });
    return platformHash().node(left, await this.#digest(blocks, { from: middle, to }));
  }

  async #line(expected: string, sequence: number): Promise<string> {
    const { storeId, lines, events } = await this.#reads.chunk({
      query: "every",
      stored: true,
      afterSequence: sequence - 1,
      beforeSequence: sequence + 1,
      limit: 1,
      head: undefined,
    });
    if (storeId !== expected || events !== 1) throw new StoreChanged();
    return decoder.decode(lines).trimEnd();
  }
}

async function inOrder(
  ranges: readonly LeafRange[],
  digest: (range: LeafRange) => Promise<string>,
): Promise<string[]> {
  const path: string[] = [];
  for (const range of ranges) path.push(await digest(range));
  return path;
}

function assertAtMost(name: string, value: number | undefined, most: number, reason: string): void {
  if (value !== undefined && value > most) {
    throw new ApiError("InvalidRequest", `${name} must be at most ${most}, ${reason}, not ${value}`);
  }
}
