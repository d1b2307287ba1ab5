import type { ProjectionChanges, ProjectionKey } from "../../../model/projection.ts";
import { type Outcome, throwIfFailed } from "../../api/outcome.ts";
import type { StoreReads } from "../../api/store.ts";
import { EMPTY_WRITE, type StoreWrite, type WriteResult } from "../../api/write.ts";
import { BLOCK_EVENTS } from "../../../model/block_tree.ts";
import { ROOT } from "../../../model/earlier_roots.ts";
import { completeSubtrees, EMPTY_TREE, type TreeState } from "../../../model/merkle_tree.ts";

/** The number of blocks whose roots are saved in one projection. A full one is never written again. */
const PAGE_BLOCKS = 128;

/** The digests of a store's events, from some block on. */
export interface HashedEvents {
  readonly storeId: string;
  /** The roots of complete blocks. */
  readonly roots: readonly string[];
  /** The events after them. */
  readonly last: TreeState;
}

/** The content of a saved page. */
interface SavedPage {
  readonly store: string;
  readonly roots: readonly string[];
  /** Only in the last page, and not from earlier versions. */
  readonly last?: TreeState;
}

/** The digests in a page that are of this store, and the version of its projection. */
interface LoadedPage extends HashedEvents {
  readonly version: string | undefined;
}

/**
 * The projections in which the roots of blocks are saved, and the digests of the events after the last complete one. No
 * client can name them: theirs have a type.
 */
export class SavedRoots {
  readonly #reads: Pick<StoreReads, "projection">;
  readonly #write: (write: StoreWrite) => Promise<Outcome<WriteResult>>;
  /** The version of the page that the next root belongs to; undefined when it does not exist yet. */
  #version: string | undefined;
  /** The number of blocks whose roots are saved. */
  #count = 0;
  /** The number of events after them that are saved. */
  #lastCount = 0;

  /** @param write writes in its turn, as a client does */
  constructor(
    reads: Pick<StoreReads, "projection">,
    write: (write: StoreWrite) => Promise<Outcome<WriteResult>>,
  ) {
    this.#reads = reads;
    this.#write = write;
  }

  /**
   * Reads the saved roots from a block on. The block must be the first of a page.
   * @returns them with the ID of their store, which may have none
   * @throws as `StoreReads.projection`
   */
  async load(from = 0): Promise<HashedEvents> {
    const all: string[] = [];
    for (let page = from / PAGE_BLOCKS;; page++) {
      const { storeId, roots, last, version } = await this.#page(page);
      all.push(...roots);
      this.#count = from + all.length;
      this.#lastCount = last.count;
      this.#version = version;
      if (roots.length < PAGE_BLOCKS) return { storeId, roots: all, last };
    }
  }

  /** The first block of the page that is written next. */
  get pageStart(): number {
    return this.#count - this.#count % PAGE_BLOCKS;
  }

  /** The number of events that are saved, from the first one on. */
  get events(): number {
    return this.#count * BLOCK_EVENTS + this.#lastCount;
  }

  /**
   * Writes one page: the saved roots in it, and those that follow.
   * @param hashed from `pageStart` on
   * @returns false when another server has written it, or projections were deleted. Then load it again
   * @throws as `throwIfFailed`
   */
  async save({ storeId, roots, last }: HashedEvents): Promise<boolean> {
    const start = this.pageStart;
    const isLast = roots.length < PAGE_BLOCKS;
    const saved: SavedPage = {
      store: storeId,
      roots: roots.slice(0, PAGE_BLOCKS),
      ...isLast && { last },
    };
    const projection = { ...keyOf(start / PAGE_BLOCKS), payload: JSON.stringify(saved) };
    const result = throwIfFailed(
      await this.#write({ ...EMPTY_WRITE, projections: this.#changes(projection) }),
    );
    if (result.kind !== "written" || result.storeId !== storeId) return false;
    const { create, replace } = result.versions;
    this.#count = start + saved.roots.length;
    this.#lastCount = isLast ? last.count : 0;
    this.#version = isLast ? (create[0] ?? replace[0])!.version : undefined;
    return true;
  }

  #changes(projection: ProjectionKey & { readonly payload: string }): ProjectionChanges {
    const { projections } = EMPTY_WRITE;
    return this.#version === undefined
      ? { ...projections, create: [projection] }
      : { ...projections, replace: [{ ...projection, version: this.#version }] };
  }

  async #page(page: number): Promise<LoadedPage> {
    const { storeId, projection } = await this.#reads.projection(keyOf(page));
    if (projection === undefined) return { storeId, roots: [], last: EMPTY_TREE, version: undefined };
    const { version } = projection;
    const { store, roots, last = EMPTY_TREE } = savedPage(page, projection.payload);
    return store === storeId
      ? { storeId, roots, last, version }
      : { storeId, roots: [], last: EMPTY_TREE, version };
  }
}

/** @throws Error that names the events whose roots were damaged in the file */
function savedPage(page: number, payload: Uint8Array): SavedPage {
  try {
    const saved: SavedPage = JSON.parse(new TextDecoder().decode(payload));
    const { store, roots, last = EMPTY_TREE } = saved;
    const isWhole = typeof store === "string" && last.count < BLOCK_EVENTS &&
      last.roots.length === completeSubtrees(last.count) &&
      [...roots, ...last.roots].every((root) => ROOT.test(root));
    if (isWhole) return saved;
  } catch {
    // The error below covers this case.
  }
  const events = PAGE_BLOCKS * BLOCK_EVENTS;
  throw new Error(`the saved roots of events ${page * events + 1} to ${(page + 1) * events} are damaged`);
}

function keyOf(page: number): ProjectionKey {
  return { type: "", id: `roots/${page}` };
}
