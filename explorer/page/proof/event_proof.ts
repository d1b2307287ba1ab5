import { rootOfInclusion } from "../../../src/model/merkle_proof.ts";
import type { StoredEvent } from "../store/stored_event.ts";
import { browserNodes, bytesOfHex, hexOf, isHexDigest, leafOf } from "./browser_digests.ts";

/*
 * The proof that a root covers an event. The page computes the root itself, so a server cannot simply claim it.
 */

/** The answer to `GET /proof?sequence=`. Digests are hexadecimal. */
export interface EventProof {
  readonly storeId: string;
  readonly head: number;
  readonly root: string;
  /** The event as it is stored, without a line feed. */
  readonly event: string;
  readonly path: readonly string[];
}

/** The root does not cover the event, or the answer is no proof of it. */
export class NotProved extends Error {
  constructor(reason: string) {
    super(`not proved: ${reason}`);
  }
}

/**
 * Checks a proof.
 * @param shown the event as the page shows it
 * @throws NotProved
 */
export async function provedRoot(claim: Partial<EventProof>, shown: StoredEvent): Promise<EventProof> {
  if (!isProof(claim)) throw new NotProved("the store sent an answer that is no proof");
  const { head, root, event, path } = claim;
  if (!isShownEvent(event, shown)) throw new NotProved("the store has another event than this page shows");
  const computed = await rootOfInclusion(browserNodes, {
    index: shown.sequence - 1,
    size: head,
    leaf: leafOf(event),
    path: path.map((digest) => Promise.resolve(bytesOfHex(digest))),
  });
  if (computed !== undefined && hexOf(computed) === root) return claim;
  throw new NotProved(
    "the event does not lead to the root of the store: it has changed, or an event near it",
  );
}

function isProof(claim: Partial<EventProof>): claim is EventProof {
  const { storeId, head, root, event, path } = claim;
  return typeof storeId === "string" && Number.isSafeInteger(head) && isHexDigest(root) &&
    typeof event === "string" && Array.isArray(path) && path.every(isHexDigest);
}

/** True when a stored line is the shown event. An encrypted payload cannot be compared with the shown one. */
function isShownEvent(line: string, { forgotten: _, ...shown }: StoredEvent): boolean {
  try {
    const { sealed, ...stored } = JSON.parse(line);
    const payload = sealed === undefined ? shown.payload : "";
    return JSON.stringify(stored) === JSON.stringify({ ...shown, payload });
  } catch {
    return false;
  }
}
