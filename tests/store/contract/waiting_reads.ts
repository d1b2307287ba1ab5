import assert from "node:assert/strict";
import type { ListRequest, ProjectionKey } from "../../../src/model/projection.ts";
import type { ReadRequest } from "../../../src/model/read_request.ts";
import { AwaitedPages } from "../../../src/store/feed/awaited_pages.ts";
import { filterTerms } from "../../../src/store/feed/filter_terms.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import type { SubtreePart, SubtreeRequest } from "../../../src/store/api/subtree.ts";
import type { Tally } from "../../../src/store/api/tally.ts";
import type { PrefetchedChunk } from "../../../src/store/core/read_ahead.ts";
import type { Page } from "../../../src/store/core/open_page.ts";
import type {
  Client,
  FoundProjection,
  ProjectionLines,
  Store,
  StoreReads,
  SubjectsPart,
} from "../../../src/store/api/store.ts";
import { eventually } from "../../support/eventually.ts";

/** Longer than a test waits for a read that should return. */
const WAIT_SECONDS = 60;

/** A client that never disconnects. */
export const STAYING: Client = { disconnected: new AbortController().signal };

/** Functions that run around the reads of a test, by their number from 1. */
export interface Hooks {
  readonly before?: (read: number) => Promise<unknown> | void;
  /** Runs after the read, before its result is delivered. */
  readonly after?: (read: number) => Promise<unknown> | void;
}

/** The reads of a store, with hooks before and after each chunk. */
class HookedReads implements StoreReads {
  /** The number of chunks that were requested. */
  count = 0;
  readonly #reads: StoreReads;
  readonly #hooks: Hooks;

  constructor(reads: StoreReads, hooks: Hooks) {
    this.#reads = reads;
    this.#hooks = hooks;
  }

  get inUse(): number {
    return this.#reads.inUse;
  }

  get max(): number {
    return this.#reads.max;
  }

  async chunk(request: ChunkRequest, client?: Client): Promise<Chunk> {
    const read = ++this.count;
    await this.#hooks.before?.(read);
    const chunk = await this.#reads.chunk(request, client);
    await this.#hooks.after?.(read);
    return chunk;
  }

  prefetchChunk(request: ChunkRequest, client: Client): PrefetchedChunk | undefined {
    return this.#reads.prefetchChunk(request, client);
  }

  projection(key: ProjectionKey, client?: Client): Promise<FoundProjection> {
    return this.#reads.projection(key, client);
  }

  projections(request: ListRequest, client?: Client): Promise<ProjectionLines> {
    return this.#reads.projections(request, client);
  }

  subjects(afterRow: number): Promise<SubjectsPart> {
    return this.#reads.subjects(afterRow);
  }

  subtree(request: SubtreeRequest): Promise<SubtreePart> {
    return this.#reads.subtree(request);
  }

  tally(afterSequence: number): Promise<Tally> {
    return this.#reads.tally(afterSequence);
  }

  ping(): Promise<void> {
    return this.#reads.ping();
  }
}

/** Waiting reads of a store. */
export class WaitingReads {
  readonly #feed: Store["feed"];
  readonly #reads: HookedReads;
  readonly #pages: AwaitedPages;

  constructor({ reads, feed }: Store, hooks: Hooks = {}) {
    this.#feed = feed;
    this.#reads = new HookedReads(reads, hooks);
    this.#pages = new AwaitedPages({ reads: this.#reads, feed });
  }

  /** How many chunks were read. */
  get chunks(): number {
    return this.#reads.count;
  }

  /** How many are waiting now. */
  get waiting(): number {
    return this.#feed.subscriptions;
  }

  /** @param request the default is every event */
  page(request: Partial<ReadRequest>, client = STAYING, waitSeconds = WAIT_SECONDS): Promise<Page> {
    const read = { query: "every", afterSequence: 0, limit: Infinity, ...request } as const;
    return this.#pages.page({ ...read, waitSeconds, terms: filterTerms(read.query) }, client);
  }

  async untilOneWaits(): Promise<void> {
    await eventually(() => assert.ok(this.waiting > 0, "no read waits"), 20);
  }
}

/** The events of a page, and whether more match. */
export interface ReadPage {
  readonly storeId: string;
  readonly head: number;
  readonly sequences: readonly number[];
  readonly hasMore: boolean;
}

/** Reads a page to its end. */
export async function readPage({ storeId, head, chunks }: Page): Promise<ReadPage> {
  let text = "";
  const decoder = new TextDecoder();
  for (;;) {
    const { done, value } = await chunks.next();
    if (!done) {
      text += decoder.decode(value, { stream: true });
      continue;
    }
    const lines = text.split("\n").slice(0, -1);
    const sequences = lines.map((line) => (JSON.parse(line) as { sequence: number }).sequence);
    return { storeId, head, sequences, hasMore: value.hasMore };
  }
}
