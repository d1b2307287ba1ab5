import { type Chunk, CHUNK_BYTES, type ChunkRequest, requestAfter } from "../api/chunk.ts";
import type { PrefetchedChunk } from "./read_ahead.ts";
import type { Client, StoreReads } from "../api/store.ts";

/** The source of a page's chunks. The chunks are prefetched if the source can do that. */
export type ChunkSource = Pick<StoreReads, "chunk"> & Partial<Pick<StoreReads, "prefetchChunk">>;

/** A request for the part of a page after some chunk. */
export type NextRequest = ChunkRequest & { readonly head: number };

/** How many chunks are read in parallel while the one before them is sent. */
const AHEAD_MAX = 2;

/**
 * Reads the chunks of a page, from its first one to its last. While one of them is sent, the next is read.
 * @param next the request for the second chunk
 */
export function followingChunks(
  reads: ChunkSource,
  first: Chunk,
  next: NextRequest,
  client: Client,
): AsyncGenerator<Chunk, void> {
  const isEveryForwards = next.query === "every" && next.time === undefined && !next.backwards;
  return (isEveryForwards && first.end === false ? sideBySide : oneByOne)(reads, first, next, client);
}

/** Reads chunks one by one: only the previous chunk shows where the next one begins. */
async function* oneByOne(
  reads: ChunkSource,
  first: Chunk,
  next: NextRequest,
  client: Client,
): AsyncGenerator<Chunk, void> {
  let chunk = first;
  for (let request = next; chunk.end === false;) {
    using ahead = reads.prefetchChunk?.(request, client);
    yield chunk;
    chunk = await (ahead?.take() ?? reads.chunk(request, client));
    request = requestAfter(request, chunk);
  }
  yield chunk;
}

/**
 * Reads chunks in parallel. Sequences have no gaps, so the bounds of the parts are known before any of them is read.
 */
async function* sideBySide(
  reads: ChunkSource,
  first: Chunk,
  next: NextRequest,
  client: Client,
): AsyncGenerator<Chunk, void> {
  using parts = new Parts(reads, next, client);
  let chunk = first;
  let partEnd = next.afterSequence;
  while (true) {
    const { last, end } = chunk;
    if (end !== false && partEnd === parts.pageEnd) return yield chunk;
    const events = eventsIn(chunk);
    parts.readAhead(events);
    yield { ...chunk, end: false };
    if (end === false && last < partEnd) chunk = await parts.read(last, partEnd);
    else ({ chunk, end: partEnd } = await parts.next(events));
  }
}

/** The number of events like those of a chunk that fill one chunk. */
function eventsIn({ lines, events }: Chunk): number {
  return events === 0 ? 1 : Math.max(1, Math.floor(CHUNK_BYTES * events / lines.length));
}

/** The parts after the first chunk, for a page of all events. */
class Parts implements Disposable {
  /** The last sequence of the page. */
  readonly pageEnd: number;
  readonly #reads: ChunkSource;
  readonly #request: NextRequest;
  readonly #client: Client;
  readonly #ahead: { readonly chunk: PrefetchedChunk; readonly end: number }[] = [];
  /** Everything up to this sequence has been requested. */
  #asked: number;

  constructor(reads: ChunkSource, request: NextRequest, client: Client) {
    const { afterSequence, beforeSequence = Infinity, head, limit } = request;
    this.pageEnd = Math.min(head, beforeSequence - 1, afterSequence + limit);
    this.#reads = reads;
    this.#request = request;
    this.#client = client;
    this.#asked = afterSequence;
  }

  /** Begins to read parts of this many events, as far as that is possible now. */
  readAhead(events: number): void {
    while (this.#ahead.length < AHEAD_MAX && this.#asked < this.pageEnd) {
      const end = this.#endOf(events);
      const chunk = this.#reads.prefetchChunk?.(this.#between(this.#asked, end), this.#client);
      if (chunk === undefined) return;
      this.#ahead.push({ chunk, end });
      this.#asked = end;
    }
  }

  /** Returns the next part up to its `end`, or the beginning of it. */
  async next(events: number): Promise<{ chunk: Chunk; end: number }> {
    const part = this.#ahead.shift();
    if (part !== undefined) {
      using ahead = part.chunk;
      return { chunk: await ahead.take(), end: part.end };
    }
    const after = this.#asked;
    const end = this.#asked = this.#endOf(events);
    return { chunk: await this.read(after, end), end };
  }

  /** Reads events with `after < sequence <= end`, or the first of them. */
  read(after: number, end: number): Promise<Chunk> {
    return this.#reads.chunk(this.#between(after, end), this.#client);
  }

  [Symbol.dispose](): void {
    for (const { chunk } of this.#ahead) chunk[Symbol.dispose]();
  }

  #endOf(events: number): number {
    return Math.min(this.#asked + events, this.pageEnd);
  }

  #between(after: number, end: number): ChunkRequest {
    return { ...this.#request, afterSequence: after, limit: end - after };
  }
}
