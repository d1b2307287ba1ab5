import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPage, type Page, StoreChanged } from "../../src/store/open_page.ts";
import type { Chunk, ChunkRequest } from "../../src/store/chunk.ts";

const encoder = new TextEncoder();

function chunk(
  text: string,
  events: number,
  last: number,
  end: Chunk["end"],
  rest: Partial<Chunk> = {},
): Chunk {
  return { storeId: "the store", head: 9, lines: encoder.encode(text), events, last, end, ...rest };
}

/** Hands out these chunks and keeps what was asked. */
function reading(chunks: Chunk[]): {
  readChunk: (request: ChunkRequest) => Promise<Chunk>;
  requests: ChunkRequest[];
} {
  const requests: ChunkRequest[] = [];
  const readChunk = (request: ChunkRequest): Promise<Chunk> => {
    requests.push(request);
    const next = chunks.shift();
    return next === undefined ? Promise.reject(new Error("the reader failed")) : Promise.resolve(next);
  };
  return { readChunk, requests };
}

async function drain(page: Page): Promise<{ text: string[]; end: unknown }> {
  const text: string[] = [];
  for (;;) {
    const { done, value } = await page.chunks.next();
    if (done) return { text, end: value };
    text.push(new TextDecoder().decode(value));
  }
}

Deno.test("a page is read chunk after chunk, up to the head that the first one found", async () => {
  const { readChunk, requests } = reading([
    chunk("1\n2\n", 2, 2, false),
    chunk("5\n", 1, 5, false, { head: 20 }),
    chunk("7\n8\n", 2, 8, { hasMore: true }, { head: 21 }),
  ]);
  const time = { fromMicros: 1, beforeMicros: 2 };
  const page = await openPage(readChunk, { query: "every", time, afterSequence: 0, limit: 5 });
  assert.deepEqual([page.storeId, page.head], ["the store", 9]);
  assert.equal(requests.length, 1, "the first chunk is there, the others are read as they are wanted");
  assert.deepEqual(await drain(page), { text: ["1\n2\n", "5\n", "7\n8\n"], end: { hasMore: true } });
  assert.deepEqual(requests, [
    { query: "every", time, afterSequence: 0, head: undefined, limit: 5 },
    { query: "every", time, afterSequence: 2, head: 9, limit: 3 },
    { query: "every", time, afterSequence: 5, head: 9, limit: 2 },
  ]);
});

Deno.test("an empty page and a last chunk without lines yield nothing but the end", async () => {
  const query = [{ types: ["t"], identifiers: [], metadata: [] }];
  const empty = reading([chunk("", 0, 7, { hasMore: false })]);
  const page = await openPage(empty.readChunk, { query, afterSequence: 7, limit: 1 });
  assert.deepEqual(await drain(page), { text: [], end: { hasMore: false } });
  assert.equal(empty.requests[0]?.afterSequence, 7);
  const trailing = reading([chunk("1\n", 1, 1, false), chunk("", 0, 1, { hasMore: false })]);
  const other = await openPage(trailing.readChunk, { query, afterSequence: 0, limit: Infinity });
  assert.deepEqual(await drain(other), { text: ["1\n"], end: { hasMore: false } });
  assert.equal(trailing.requests[1]?.limit, Infinity);
});

Deno.test("the next chunk is not read before the last one was taken", async () => {
  const { readChunk, requests } = reading([
    chunk("1\n", 1, 1, false),
    chunk("2\n", 1, 2, { hasMore: false }),
  ]);
  const page = await openPage(readChunk, { query: "every", afterSequence: 0, limit: 9 });
  await page.chunks.next();
  await new Promise((resolve) => setTimeout(resolve, 5));
  assert.equal(requests.length, 1);
  await page.chunks.next();
  assert.equal(requests.length, 2);
});

Deno.test("a reset between two chunks ends the page with an error, before anything of the new store is sent", async () => {
  const { readChunk } = reading([
    chunk("1\n", 1, 1, false),
    chunk("of another store\n", 1, 2, { hasMore: false }, { storeId: "another" }),
  ]);
  const page = await openPage(readChunk, { query: "every", afterSequence: 0, limit: 9 });
  assert.equal(new TextDecoder().decode((await page.chunks.next()).value as Uint8Array), "1\n");
  await assert.rejects(page.chunks.next(), StoreChanged);
});

Deno.test("a reader that fails fails the page: at its beginning before there is one, later in the middle", async () => {
  const request = { query: "every", afterSequence: 0, limit: 9 } as const;
  await assert.rejects(openPage(reading([]).readChunk, request), /the reader failed/);
  const page = await openPage(reading([chunk("1\n", 1, 1, false)]).readChunk, request);
  await page.chunks.next();
  await assert.rejects(page.chunks.next(), /the reader failed/);
});

Deno.test("chunks that were taken are released while the page continues", async () => {
  setFlagsFromString("--expose-gc");
  const collect = runInNewContext("gc") as () => void;
  let released = 0;
  const registry = new FinalizationRegistry(() => released++);
  let made = 0;
  const readChunk = (): Promise<Chunk> => {
    const next = chunk("x".repeat(100_000), 1, ++made, made === 20 ? { hasMore: false } : false);
    registry.register(next.lines, undefined);
    return Promise.resolve(next);
  };
  const page = await openPage(readChunk, { query: "every", afterSequence: 0, limit: Infinity });
  for (let i = 0; i < 15; i++) await page.chunks.next();
  for (let i = 0; i < 20 && released < 13; i++) {
    await new Promise((resolve) => setTimeout(resolve, 5));
    collect();
  }
  assert.ok(released >= 13, `${released} of 14 chunks were released`);
  assert.equal((await drain(page)).text.length, 5);
});
