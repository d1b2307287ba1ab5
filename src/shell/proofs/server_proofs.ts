import { Refused } from "../../../client/mod.ts";
import type { Server } from "../../../client/server.ts";
import { type EarlierRoot, ROOT } from "../../model/earlier_roots.ts";
import { isConsistent, rootOfInclusion } from "../../model/merkle_proof.ts";
import type { TreeHash } from "../../model/merkle_tree.ts";
import { NotFound, NotVerified } from "../ends.ts";

/** A root that the server claims. */
export interface ClaimedRoot {
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
}

interface Claim extends ClaimedRoot {
  readonly event?: string;
  readonly path?: readonly string[];
}

const encoder = new TextEncoder();

/** The proofs of a server. Everything in them is checked. */
export class ServerProofs {
  readonly #server: Server;
  readonly #hash: TreeHash;

  constructor(server: Server, hash: TreeHash) {
    this.#server = server;
    this.#hash = hash;
  }

  /** Returns the root at a head, by default that of the store. */
  async root(head?: number): Promise<ClaimedRoot> {
    const { storeId, head: reached, root } = await this.#claim(head === undefined ? "" : `?head=${head}`);
    if (head !== undefined && reached !== head) throw wrongAnswer(`head ${reached} instead of ${head}`);
    return { storeId, head: reached, root };
  }

  /** Returns the root of the store, whose ID and head are as earlier roots require. @throws NotVerified */
  async rootFor(earlier: readonly EarlierRoot[]): Promise<ClaimedRoot> {
    const now = await this.root();
    for (const root of earlier) assertContinued(now, root);
    return now;
  }

  /**
   * Returns the root that covers an event.
   * @param earlier the root to prove it for; by default that of the store
   * @throws NotVerified
   */
  async inclusion(sequence: number, earlier: EarlierRoot | undefined): Promise<ClaimedRoot> {
    const at = earlier === undefined ? "" : `&head=${earlier.head}`;
    const claim = await this.#claim(`?sequence=${sequence}${at}`);
    const { storeId, head, root, event = "", path = [] } = claim;
    if (!event.startsWith(`{"sequence":${sequence},`)) throw wrongAnswer(`another event than ${sequence}`);
    const leaf = this.#hash.leaf(encoder.encode(event));
    const proved = rootOfInclusion(this.#hash, { index: sequence - 1, size: head, leaf, path });
    const wanted = earlier?.root ?? root;
    if (proved === wanted) return { storeId, head, root };
    const whose = earlier === undefined ? "the root that the server computed" : earlier.source;
    throw new NotVerified(
      `event ${sequence}: the proof does not lead to ${wanted}@${head} of ${whose}: it has changed, or an event near it`,
    );
  }

  /** Checks that the events of a root begin with those of an earlier one. @throws NotVerified */
  async assertContinues(now: ClaimedRoot, earlier: EarlierRoot): Promise<void> {
    const { root, path = [] } = await this.#claim(`?from=${earlier.head}&head=${now.head}`);
    if (root !== now.root) throw wrongAnswer(`two roots for head ${now.head}`);
    const proof = { first: earlier.head, size: now.head, firstRoot: earlier.root, root, path };
    if (isConsistent(this.#hash, proof)) return;
    throw new NotVerified(
      `an event up to ${earlier.head} has changed since ${earlier.source}: ` +
        `the store does not continue ${earlier.root}@${earlier.head}`,
    );
  }

  async #claim(query: string): Promise<Claim> {
    const asking = this.#server.repeat({ method: "GET", path: `/proof${query}` });
    const { body, json } = await asking.catch((error) => {
      if (!isUnknownPath(error)) throw error;
      throw new NotFound(`the server has no proofs: it needs its setting "subjects"`);
    });
    const claim = json<Claim>(body);
    const { storeId, head, root, event = "", path = [] } = claim;
    const isClaim = typeof storeId === "string" && Number.isSafeInteger(head) && ROOT.test(root) &&
      typeof event === "string" && Array.isArray(path) && path.every((digest) => ROOT.test(digest));
    if (!isClaim) throw wrongAnswer("an answer that is no proof");
    return claim;
  }
}

/** True for the answer of a server that does not have what is asked for. */
export function isUnknownPath(error: unknown): boolean {
  return error instanceof Refused && error.status === 404;
}

/** Checks store ID and head, before anything is computed. @throws NotVerified */
function assertContinued({ storeId, head }: ClaimedRoot, earlier: EarlierRoot): void {
  const { source } = earlier;
  if (earlier.storeId !== undefined && earlier.storeId !== storeId) {
    throw new NotVerified(`this is store ${storeId}, and that of ${source} was ${earlier.storeId}`);
  }
  if (head < earlier.head) {
    throw new NotVerified(
      `events are missing: the store ends at ${head}, and at ${source} at ${earlier.head}`,
    );
  }
}

function wrongAnswer(what: string): NotVerified {
  return new NotVerified(`the server sent ${what}`);
}
