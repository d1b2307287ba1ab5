import assert from "node:assert/strict";
import { type EventsPage, parsePage } from "../../support/client.ts";
import type { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { serverOfFile } from "../../support/server_process.ts";

const EVENTS = 5000;
/** A page of these events is larger than the socket buffers between server and client. */
const LARGE = { type: "large", identifiers: {}, payload: "x".repeat(60_000) };

const server = serverOfFile({ env: { SERVICE_DEV_MODE: "true" } });
const client = server.client();
Deno.test.beforeAll(async () => {
  for (let first = 1; first <= EVENTS; first += 100) {
    const events = Array.from({ length: 100 }, (_, i) => ({
      type: (first + i) % 2 === 0 ? "even" : "odd",
      identifiers: { number: String(first + i) },
      payload: `${first + i} `.padEnd((first + i) % 997, "\u00e9"),
    }));
    await client.append(...events);
  }
});

function assertNumbers(page: EventsPage, expected: number[], hasMore: boolean): void {
  assert.deepEqual(page.events.map((event) => event.sequence), expected);
  assert.equal(page.hasMore, hasMore);
  for (const event of page.events) assert.equal(parseInt(event.payload), event.sequence);
}

const range = (from: number, to: number, step = 1): number[] =>
  Array.from({ length: Math.floor((to - from) / step) + 1 }, (_, i) => from + i * step);

Deno.test("a page of several megabytes holds every event once, in order, with the trailer at its end", async () => {
  assertNumbers(await client.queryEvents("*", { limit: 10_000 }), range(1, EVENTS), false);
  assertNumbers(await client.queryEvents("*", { limit: EVENTS }), range(1, EVENTS), false);
  assertNumbers(await client.queryEvents("*", { limit: EVENTS - 1 }), range(1, EVENTS - 1), true);
  assertNumbers(await client.queryEvents("*", { afterSequence: 17, limit: 4000 }), range(18, 4017), true);
});

Deno.test("a short page has a length, one that is read in several parts comes in chunks", async () => {
  const framing = async (limit: number): Promise<(string | undefined)[]> => {
    const { reply } = await client.queryEvents("*", { limit });
    return ["content-length", "transfer-encoding"].map((name) => reply.headers.get(name));
  };
  const short = await client.queryEvents("*", { limit: 10 });
  assert.equal(short.reply.headers.get("content-length"), String(short.reply.body.length));
  assertNumbers(short, range(1, 10), true);
  assert.deepEqual(await framing(EVENTS), [undefined, "chunked"]);
});

Deno.test("a long page of a query holds exactly the matching events", async () => {
  const odd = [{ types: ["odd"] }];
  assertNumbers(await client.queryEvents(odd, { limit: EVENTS }), range(1, EVENTS, 2), false);
  assertNumbers(await client.queryEvents(odd, { limit: 2499 }), range(1, EVENTS - 2, 2), true);
  assertNumbers(
    await client.queryEvents(odd, { afterSequence: 4990, limit: 10 }),
    range(4991, EVENTS, 2),
    false,
  );
  const some = [{ types: ["odd"], identifiers: [{ name: "number", value: "77" }] }, {
    types: ["even"],
    identifiers: [{ name: "number", value: "4078" }],
  }, { types: ["even"], identifiers: [{ name: "number", value: "79" }] }];
  assertNumbers(await client.queryEvents(some), [77, 4078], false);
});

Deno.test("a long page backwards holds every event once, the newest first, and one up to a sequence ends there", async () => {
  const backwards = true;
  const odd = [{ types: ["odd"] }];
  const down = (from: number, to: number, step = 1): number[] => range(to, from, step).reverse();
  assertNumbers(await client.queryEvents("*", { backwards, limit: 10_000 }), down(EVENTS, 1), false);
  assertNumbers(await client.queryEvents("*", { backwards, limit: 4000 }), down(EVENTS, 1001), true);
  const between = { afterSequence: 17, beforeSequence: 4600, limit: EVENTS };
  assertNumbers(await client.queryEvents("*", between), range(18, 4599), false);
  assertNumbers(await client.queryEvents("*", { ...between, limit: 4581 }), range(18, 4598), true);
  assertNumbers(await client.queryEvents("*", { ...between, backwards }), down(4599, 18), false);
  assertNumbers(await client.queryEvents(odd, between), range(19, 4599, 2), false);
  assertNumbers(await client.queryEvents(odd, { ...between, backwards }), down(4599, 19, 2), false);
  const streamed = await client.queryEvents(odd, { ...between, backwards, limit: 2000 });
  assertNumbers(streamed, down(4599, 601, 2), true);
  assert.equal(streamed.reply.headers.get("transfer-encoding"), "chunked");
});

Deno.test("16 readers at once each get their own page", async () => {
  const pages = await Promise.all(
    range(0, 15).map((i) => client.queryEvents("*", { afterSequence: i * 100, limit: 900 })),
  );
  for (const [i, page] of pages.entries()) assertNumbers(page, range(i * 100 + 1, i * 100 + 900), true);
});

Deno.test("reads whose client disconnects, early or late, are no longer counted in read.httpOpen", async () => {
  for (let round = 0; round < 30; round++) {
    const readers: Connection[] = [];
    for (let i = 0; i < 10; i++) {
      readers.push(await client.begin("QUERY", "/events", { json: { query: "*", limit: 10_000 } }));
    }
    await pause(round % 6);
    for (const reader of readers) reader.close();
  }
  await eventually(async () => {
    const { read } = await debugSnapshot(client);
    assert.deepEqual([read.httpOpen, read.sqliteInUse], [0, 0]);
  });
});

Deno.test("events written while a page is read are not on it", async () => {
  for (let i = 0; i < 3; i++) await client.append(...Array(100).fill(LARGE));
  using reading = await client.begin("QUERY", "/events", { json: { query: "*", limit: 10_000 } });
  const head = await reading.readHead();
  await client.append({ type: "late", identifiers: {}, payload: "" });
  const page = parsePage(await reading.readRest(head));
  assert.equal(page.events.at(-1)?.sequence, EVENTS + 300);
  assert.equal(page.hasMore, false);
});

Deno.test("a page backwards has no gap between its parts, whatever is written meanwhile", async () => {
  const head = EVENTS + 301;
  const json = { query: "*", backwards: true, limit: 10_000 };
  using reading = await client.begin("QUERY", "/events", { json });
  const begun = await reading.readHead();
  await client.append({ type: "late", identifiers: {}, payload: "" });
  const page = parsePage(await reading.readRest(begun));
  assert.equal(page.reply.headers.get("x-service-head"), String(head));
  assert.deepEqual(page.events.map(({ sequence }) => sequence), range(1, head).reverse());
  assert.equal(page.hasMore, false);
});

Deno.test("a page that meets a reset ends without a trailer and never mixes two stores", async () => {
  using reading = await client.begin("QUERY", "/events", { json: { query: "*", limit: 10_000 } });
  const head = await reading.readHead();
  await client.reset();
  await client.append(...Array(100).fill({ type: "new store", identifiers: {}, payload: "" }));
  const page = parsePage(await reading.readRest(head));
  assert.equal(page.hasMore, undefined);
  assert.ok(page.reply.cutShort);
  assert.notEqual(page.store, await client.storeId());
  assert.ok(page.events.length > 0 && page.events.length < EVENTS + 301);
  assert.ok(page.events.every((event, i) => event.sequence === i + 1 && event.type !== "new store"));
});
