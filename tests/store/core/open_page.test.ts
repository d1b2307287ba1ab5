import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { setFlagsFromString } from "node:v8";
import { runInNewContext } from "node:vm";
import { openPage, StoreChanged } from "../../../src/store/core/open_page.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import { chunk, drain, FILTERED, reading, STAYING } from "../page_chunks.ts";

Deno.test("a page is read chunk by chunk, up to the head of the first one", async () => {
  const { readChunk, requests } = reading([
    chunk("1\n2\n", 2, 2, false),
    chunk("5\n", 1, 5, false, { head: 20, continuation: "found out" }),
    chunk("7\n8\n", 2, 8, { hasMore: true }, { head: 21 }),
  ]);
  const time = { fromMicros: 1, beforeMicros: 2 };
  const page = await openPage(
    { chunk: readChunk },
    { query: "every", time, afterSequence: 0, limit: 5 },
    STAYING,
  );
  assert.deepEqual([page.storeId, page.head, page.whole], ["the store", 9, undefined]);
  assert.equal(requests.length, 1, "the first chunk is there, the others are read as they are wanted");
  assert.deepEqual(await drain(page), { text: ["1\n2\n", "5\n", "7\n8\n"], end: { hasMore: true } });
  assert.deepEqual(page.handedOut, { events: 5, bytes: 10 });
  assert.deepEqual(requests, [
    { query: "every", time, afterSequence: 0, head: undefined, limit: 5 },
    { query: "every", time, afterSequence: 2, head: 9, limit: 3, continuation: undefined },
    { query: "every", time, afterSequence: 5, head: 9, limit: 2, continuation: "found out" },
  ]);
});

Deno.test("an empty page and a last chunk without lines yield nothing but the end", async () => {
  const query = [{ types: ["t"], identifiers: [], metadata: [] }];
  const empty = reading([chunk("", 0, 7, { hasMore: false })]);
  const page = await openPage({ chunk: empty.readChunk }, { query, afterSequence: 7, limit: 1 }, STAYING);
  assert.deepEqual(page.whole, { lines: new Uint8Array(), events: 0, hasMore: false });
  assert.deepEqual(await drain(page), { text: [], end: { hasMore: false } });
  assert.equal(empty.requests[0]?.afterSequence, 7);
  const trailing = reading([chunk("1\n", 1, 1, false), chunk("", 0, 1, { hasMore: false })]);
  const other = await openPage(
    { chunk: trailing.readChunk },
    { query, afterSequence: 0, limit: Infinity },
    STAYING,
  );
  assert.deepEqual(await drain(other), { text: ["1\n"], end: { hasMore: false } });
  assert.equal(trailing.requests[1]?.limit, Infinity);
});

Deno.test("the next chunk is not read before the last one was taken", async () => {
  const { readChunk, requests } = reading([
    chunk("1\n", 1, 1, false),
    chunk("2\n", 1, 2, { hasMore: false }),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  await page.chunks.next();
  await delay(5);
  assert.equal(requests.length, 1);
  await page.chunks.next();
  assert.equal(requests.length, 2);
});

Deno.test("a reset between two chunks ends the page with an error, before anything of the new store is sent", async () => {
  const { readChunk } = reading([
    chunk("1\n", 1, 1, false),
    chunk("of another store\n", 1, 2, { hasMore: false }, { storeId: "another" }),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  assert.equal(new TextDecoder().decode((await page.chunks.next()).value as Uint8Array), "1\n");
  await assert.rejects(page.chunks.next(), StoreChanged);
});

Deno.test("a chunk that ends before the page does breaks the page off: a history that went back, or another host", async () => {
  const { readChunk } = reading([
    chunk("1\n", 1, 1, false),
    chunk("2\n", 1, 8, { hasMore: false }, { head: 8 }),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  await page.chunks.next();
  await assert.rejects(page.chunks.next(), StoreChanged);
});

Deno.test("an error of a reader fails the page: before it begins, or later in the middle", async () => {
  const request = { query: "every", afterSequence: 0, limit: 9 } as const;
  await assert.rejects(openPage({ chunk: reading([]).readChunk }, request, STAYING), /the reader failed/);
  const page = await openPage({ chunk: reading([chunk("1\n", 1, 1, false)]).readChunk }, request, STAYING);
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
  const page = await openPage(
    { chunk: readChunk },
    { query: "every", afterSequence: 0, limit: Infinity },
    STAYING,
  );
  for (let i = 0; i < 15; i++) await page.chunks.next();
  for (let i = 0; i < 20 && released < 13; i++) {
    await delay(5);
    collect();
  }
  assert.ok(released >= 13, `${released} of 14 chunks were released`);
  assert.equal((await drain(page)).text.length, 5);
});

Deno.test("chunks without a line only advance the page, before its first line and later", async () => {
  const { readChunk, requests } = reading([
    chunk("", 0, 3, false, { continuation: 1 }),
    chunk("", 0, 5, false),
    chunk("6\n", 1, 6, false),
    chunk("", 0, 8, false),
    chunk("", 0, 9, { hasMore: false }),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: FILTERED, afterSequence: 0, limit: 7 }, STAYING);
  assert.deepEqual(requests.map(({ afterSequence, continuation }) => [afterSequence, continuation]), [
    [0, undefined],
    [3, 1],
    [5, undefined],
  ]);
  assert.deepEqual(await drain(page), { text: ["6\n"], end: { hasMore: false } });
  assert.deepEqual(requests.slice(3).map(({ afterSequence, limit }) => [afterSequence, limit]), [[6, 6], [
    8,
    6,
  ]]);
});

Deno.test("a small chunk stays as it is while the page continues, since the transport still holds it", async () => {
  const { readChunk } = reading([chunk("1\n", 1, 1, false), chunk("2\n", 1, 2, { hasMore: false })]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  const first = (await page.chunks.next()).value as Uint8Array;
  await page.chunks.next();
  assert.equal(new TextDecoder().decode(first), "1\n");
});

Deno.test("a page whose client has disconnected ends before its next chunk, also when there was no line yet", async () => {
  for (const lines of ["", "1\n"]) {
    const { readChunk, requests } = reading(
      Array.from({ length: 9 }, (_, i) => chunk(lines, lines.length / 2, i + 1, false)),
    );
    const leaving = new AbortController();
    const client = { disconnected: leaving.signal };
    const readAndLeave = (request: ChunkRequest): Promise<Chunk> => {
      if (requests.length === 2) leaving.abort();
      return readChunk(request);
    };
    await assert.rejects(async () => {
      await drain(
        await openPage({ chunk: readAndLeave }, { query: "every", afterSequence: 0, limit: 99 }, client),
      );
    }, ClientDisconnected);
    assert.equal(requests.length, 3);
  }
});

Deno.test("a read of one chunk never asks whether its client is connected, which would cost time", async () => {
  const { readChunk } = reading([chunk("1\n", 1, 1, { hasMore: false })]);
  const client = {
    get disconnected(): AbortSignal {
      throw new Error("asked");
    },
  };
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, client);
  assert.deepEqual((await drain(page)).text, ["1\n"]);
});

Deno.test("a reset before the first line begins the page anew", async () => {
  const other = { storeId: "another", head: 2 };
  const { readChunk, requests } = reading([
    chunk("", 0, 3, false),
    chunk("", 0, 2, { hasMore: false }, other),
    chunk("1\n", 1, 2, { hasMore: false }, other),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  assert.deepEqual([page.storeId, page.head], ["another", 2]);
  assert.deepEqual((await drain(page)).text, ["1\n"]);
  assert.deepEqual(requests[2], requests[0]);
});

Deno.test("a chunk that ends before the page does begins the page anew, as long as there is no line", async () => {
  const { readChunk, requests } = reading([
    chunk("", 0, 3, false),
    chunk("", 0, 7, { hasMore: false }, { head: 7 }),
    chunk("1\n", 1, 7, { hasMore: false }, { head: 7 }),
  ]);
  const page = await openPage({ chunk: readChunk }, { query: "every", afterSequence: 0, limit: 9 }, STAYING);
  assert.equal(page.head, 7);
  assert.deepEqual((await drain(page)).text, ["1\n"]);
  assert.deepEqual(requests[2], requests[0]);
});
