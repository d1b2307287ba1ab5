import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { openPage, StoreChanged } from "../../../src/store/core/open_page.ts";
import { PrefetchedChunk } from "../../../src/store/core/read_ahead.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import { chunk, drain, FILTERED, reading, STAYING } from "../page_chunks.ts";

/** Reads of these chunks that support prefetching. */
function readingAhead(chunks: Chunk[]): ReturnType<typeof reading> & {
  reads: Parameters<typeof openPage>[0];
  open: () => number;
} {
  const { readChunk, requests } = reading(chunks);
  let open = 0;
  const prefetchChunk = (request: ChunkRequest): PrefetchedChunk => {
    open++;
    return new PrefetchedChunk(readChunk(request), () => open--);
  };
  return { readChunk, requests, reads: { chunk: readChunk, prefetchChunk }, open: () => open };
}

Deno.test("a prefetched chunk is requested once, one by one, with the continuation of the chunk before it", async () => {
  const { reads, requests, open } = readingAhead([
    chunk("1\n2\n", 2, 2, false, { continuation: 1 }),
    chunk("5\n", 1, 5, false, { continuation: 2 }),
    chunk("7\n", 1, 7, { hasMore: true }),
  ]);
  const page = await openPage(reads, { query: FILTERED, afterSequence: 0, limit: 4 }, STAYING);
  assert.equal(requests.length, 1, "nothing is read before the page is sent");
  await page.chunks.next();
  assert.equal(requests.length, 2, "while the first chunk is sent, the second is read");
  assert.deepEqual(await drain(page), { text: ["5\n", "7\n"], end: { hasMore: true } });
  assert.deepEqual(
    requests.map(({ afterSequence, limit, continuation }) => [afterSequence, limit, continuation]),
    [
      [0, 4, undefined],
      [2, 2, 1],
      [5, 1, 2],
    ],
  );
  assert.equal(open(), 0);
});

Deno.test("an error in a prefetched chunk shows after the chunk before it", async () => {
  const other = chunk("of another store\n", 1, 2, { hasMore: false }, { storeId: "another" });
  for (const [following, error] of [[[other], StoreChanged], [[], /the reader failed/]] as const) {
    const { reads, open } = readingAhead([chunk("1\n", 1, 1, false), ...following]);
    const page = await openPage(reads, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
    assert.equal(new TextDecoder().decode((await page.chunks.next()).value as Uint8Array), "1\n");
    await delay(0);
    await assert.rejects(page.chunks.next(), error);
    assert.equal(open(), 0);
  }
});

Deno.test("when a page is abandoned, its prefetched chunks are released, also those that come later", async () => {
  const later = Promise.withResolvers<Chunk>();
  const early = chunk("2\n", 1, 2, false);
  for (
    const read of [Promise.resolve(early), later.promise, Promise.reject(new Error("the reader failed"))]
  ) {
    let open = 0;
    const page = await openPage(
      {
        chunk: () => Promise.resolve(chunk("1\n", 1, 1, false)),
        prefetchChunk: () => new PrefetchedChunk((open++, read), () => open--),
      },
      { query: "every", afterSequence: 0, limit: 9 },
      STAYING,
    );
    await page.chunks.next();
    assert.equal(open, 1);
    await page.chunks.return({ hasMore: false });
    assert.equal(open, 0);
  }
  const late = chunk("2\n", 1, 2, false);
  later.resolve(late);
  await delay(0);
  assert.deepEqual([early.lines.length, late.lines.length], [0, 0]);
});

Deno.test("a page that cannot read ahead now reads as if it never could", async () => {
  const { readChunk, requests } = reading([
    chunk("1\n", 1, 1, false),
    chunk("2\n", 1, 2, { hasMore: false }),
  ]);
  const reads = { chunk: readChunk, prefetchChunk: () => undefined };
  const page = await openPage(reads, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  assert.deepEqual((await drain(page)).text, ["1\n", "2\n"]);
  assert.equal(requests.length, 2);
});
