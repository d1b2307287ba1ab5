import assert from "node:assert/strict";
import fc from "fast-check";
import { type Chunk, CHUNK_BYTES, type ChunkRequest, requestAfter } from "../../../src/store/api/chunk.ts";
import { PrefetchedChunk } from "../../../src/store/core/read_ahead.ts";
import { type ChunkSource, followingChunks } from "../../../src/store/core/following_chunks.ts";
import type { Client } from "../../../src/store/api/store.ts";

const STAYING: Client = { disconnected: new AbortController().signal };
const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** A store of events of these sizes. Each line is its sequence, padded with blanks. */
class Events {
  readonly requests: ChunkRequest[] = [];
  ahead = 0;
  aheadMost = 0;
  readonly #sizes: readonly number[];

  constructor(sizes: readonly number[]) {
    this.#sizes = sizes;
  }

  get head(): number {
    return this.#sizes.length;
  }

  chunk(request: ChunkRequest): Chunk {
    const { afterSequence, beforeSequence = Infinity, limit, head = this.head } = request;
    if (request.backwards) return this.#chunkBackwards(request);
    const upTo = Math.min(head, beforeSequence - 1);
    const end = Math.min(upTo, afterSequence + limit);
    let text = "";
    let last = afterSequence;
    while (last < end && text.length < CHUNK_BYTES) {
      text += `${last + 1}`.padEnd(this.#sizes[last]!) + "\n";
      last++;
    }
    return {
      storeId: "the store",
      head,
      lines: encoder.encode(text),
      events: last - afterSequence,
      last,
      end: last < end ? false : { hasMore: last < upTo },
    };
  }

  /** Returns at most 20 events, whatever their size. */
  #chunkBackwards(
    { afterSequence, beforeSequence = Infinity, limit, head = this.head }: ChunkRequest,
  ): Chunk {
    const upTo = Math.min(head, beforeSequence - 1);
    const end = Math.max(afterSequence, upTo - limit);
    const last = Math.max(end, upTo - 20);
    const sequences = Array.from({ length: upTo - last }, (_, i) => `${upTo - i}\n`);
    return {
      storeId: "the store",
      head,
      lines: encoder.encode(sequences.join("")),
      events: sequences.length,
      last,
      end: last > end ? false : { hasMore: last > afterSequence },
    };
  }

  /** @param mayRead whether a chunk can be read ahead now */
  source(mayRead: () => boolean): ChunkSource {
    const chunk = (request: ChunkRequest): Promise<Chunk> => {
      this.requests.push(request);
      return Promise.resolve(this.chunk(request));
    };
    const prefetchChunk = (request: ChunkRequest): PrefetchedChunk | undefined => {
      if (!mayRead()) return undefined;
      this.aheadMost = Math.max(this.aheadMost, ++this.ahead);
      return new PrefetchedChunk(chunk(request), () => this.ahead--);
    };
    return { chunk, prefetchChunk };
  }
}

/** The sequences of a whole page, and its end. */
async function pageOf(
  events: Events,
  { after, ...rest }:
    & { readonly after: number }
    & Pick<ChunkRequest, "beforeSequence" | "backwards" | "limit">,
  mayRead: () => boolean,
): Promise<{ sequences: number[]; end: Chunk["end"] }> {
  const request = { query: "every", afterSequence: after, ...rest, head: events.head } as const;
  const first = events.chunk(request);
  const next = requestAfter(request, first);
  let text = "";
  let end: Chunk["end"] = false;
  for await (const chunk of followingChunks(events.source(mayRead), first, next, STAYING)) {
    assert.equal(end, false, "the end is the last");
    text += decoder.decode(chunk.lines);
    ({ end } = chunk);
  }
  return { sequences: text.split("\n").slice(0, -1).map(Number), end };
}

Deno.test("a page of all events has each of them once and in order, with any sizes and any prefetched chunks", async () => {
  const size = fc.oneof(fc.constantFrom(10, 1000, 40_000), fc.integer({ min: 10, max: 250_000 }));
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(size, fc.integer({ min: 1, max: 30 })), { minLength: 1, maxLength: 8 }),
      fc.nat(40),
      fc.oneof(fc.integer({ min: 1, max: 100 }), fc.constant(Infinity)),
      fc.option(fc.integer({ min: 1, max: 200 }), { nil: undefined }),
      fc.infiniteStream(fc.boolean()),
      async (runs, after, limit, before, mayRead) => {
        const events = new Events(runs.flatMap(([bytes, count]) => Array<number>(count).fill(bytes)));
        const upTo = Math.min(events.head, (before ?? Infinity) - 1);
        fc.pre(after <= upTo);
        const page = { after, limit, beforeSequence: before };
        const { sequences, end } = await pageOf(events, page, () => mayRead.next().value);
        const last = Math.min(upTo, after + limit);
        assert.deepEqual(sequences, Array.from({ length: last - after }, (_, i) => after + 1 + i));
        assert.deepEqual(end, { hasMore: last < upTo });
        assert.equal(events.ahead, 0);
      },
    ),
    { numRuns: 200 },
  );
});

Deno.test("two parts of a page of all events are read ahead at a time, and each fills one chunk", async () => {
  const events = new Events(Array<number>(5000).fill(400));
  await pageOf(events, { after: 0, limit: 4900 }, () => true);
  assert.equal(events.aheadMost, 2);
  const wanted = events.requests.map(({ limit }) => limit);
  assert.equal(events.requests.at(-1)!.afterSequence + wanted.at(-1)!, 4900);
  for (const limit of wanted.slice(0, -1)) {
    assert.ok(401 * limit > 0.9 * CHUNK_BYTES && 401 * limit <= CHUNK_BYTES);
  }
});

Deno.test("a page of all events backwards is read one chunk after the other", async () => {
  const events = new Events(Array<number>(100).fill(10));
  const page = { after: 3, beforeSequence: 95, backwards: true, limit: 90 };
  const { sequences, end } = await pageOf(events, page, () => true);
  assert.deepEqual(sequences, Array.from({ length: 90 }, (_, i) => 94 - i));
  assert.deepEqual(end, { hasMore: true });
  assert.equal(events.aheadMost, 1);
});

Deno.test("an abandoned page of all events releases its prefetched chunks", async () => {
  const events = new Events(Array<number>(5000).fill(400));
  const request = { query: "every", afterSequence: 0, limit: Infinity, head: 5000 } as const;
  const first = events.chunk(request);
  const next = { ...request, afterSequence: first.last };
  const chunks = followingChunks(events.source(() => true), first, next, STAYING);
  await chunks.next();
  assert.equal(events.ahead, 2);
  await chunks.return();
  assert.equal(events.ahead, 0);
});
