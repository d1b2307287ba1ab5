import assert from "node:assert/strict";
import { type EventLine, type EventsPage, parsePage } from "../../support/client.ts";
import { pause } from "../../support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP, UUID } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { append, begin, editionC, event, type Transaction } from "./client.ts";

/** Ten events in five commits. Each commit has its own time. */
let stored: EventLine[];

const server = serverOfFile(editionC({ SERVICE_DEFAULT_EVENTS_PER_PAGE: "20" }));
const client = server.client();
Deno.test.beforeAll(async () => {
  for (let i = 0; i < 5; i++) {
    await append(client, event("even", String(2 * i)), event("odd", String(2 * i + 1)));
    await pause(2);
  }
  stored = [...(await client.queryEvents()).events];
});

type Read = (query: unknown, rest?: Readonly<Record<string, unknown>>) => Promise<EventsPage>;

/** Runs a test with a ticket, and without. */
async function withAndWithout(run: (read: Read) => Promise<void>): Promise<void> {
  const transaction = await begin(client);
  await run(transaction.read.bind(transaction));
  await transaction.rollback();
  await run(committed);
}

async function committed(query: unknown, rest: object = {}): Promise<EventsPage> {
  return parsePage(await client.request("QUERY", "/events", { json: { query, ...rest } }));
}

const payloadsOf = ({ events }: EventsPage): string[] => events.map(({ payload }) => payload);

Deno.test("with a ticket a read sees the committed events and the transaction's own, without one the committed", async () => {
  const transaction = await begin(client);
  expectStatus(await transaction.append([event("odd", "own")]), 200);
  const inside = await transaction.read([{ types: ["odd"] }]);
  assert.deepEqual(payloadsOf(inside), ["1", "3", "5", "7", "9", "own"]);
  const own = inside.events.at(-1)!;
  assert.equal(own.sequence, 11);
  assert.match(own.time, TIMESTAMP);
  assert.deepEqual(Object.keys(own), ["sequence", "time", "type", "identifiers", "metadata", "payload"]);
  assert.deepEqual(payloadsOf(await committed([{ types: ["odd"] }])), ["1", "3", "5", "7", "9"]);
  assert.deepEqual(payloadsOf(await committed("*", { afterSequence: 10 })), []);
  assertNoContent(await transaction.rollback());
  const next = await begin(client);
  assert.equal((await next.read()).events.length, 10);
  assertNoContent(await next.rollback());
});

Deno.test("a page carries the store header, its content type and no-store, with and without a ticket", async () => {
  await withAndWithout(async (read) => {
    for (const query of ["*", [{ types: ["absent"] }]]) {
      const { reply, store } = await read(query);
      assert.match(store ?? "", UUID);
      assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
      assert.equal(reply.headers.get("cache-control"), "no-store");
    }
  });
});

Deno.test("only a page of committed events carries the head of the store", async () => {
  const transaction = await begin(client);
  const { reply: inside } = await transaction.read("*");
  assert.equal(inside.headers.has("x-service-head"), false);
  await transaction.rollback();
  const { reply: outside } = await committed("*");
  assert.match(outside.headers.get("x-service-head") ?? "", /^[1-9]\d*$/);
});

Deno.test("pages continue after the last sequence received, over committed and own events", async () => {
  const transaction = await begin(client);
  for (let i = 10; i < 15; i++) expectStatus(await transaction.append([event("t", String(i))]), 200);
  const found: string[] = [];
  let afterSequence = 0;
  for (let hasMore = true; hasMore;) {
    const page = await transaction.read("*", { afterSequence, limit: 4 });
    found.push(...payloadsOf(page));
    afterSequence = page.events.at(-1)!.sequence;
    hasMore = page.hasMore!;
    assert.equal(hasMore, found.length < 15);
  }
  assert.deepEqual(found, Array.from({ length: 15 }, (_, i) => String(i)));
  assertNoContent(await transaction.rollback());
});

Deno.test("time: from is inclusive, before is exclusive, each may be left out, and so may time", async () => {
  const [at, later] = [stored[4]!.time, stored[6]!.time];
  await withAndWithout(async (read) => {
    const found = async (time: unknown): Promise<string> => payloadsOf(await read("*", { time })).join("");
    assert.equal(await found({ from: at }), "456789");
    assert.equal(await found({ before: at }), "0123");
    assert.equal(await found({ from: at, before: later }), "45");
    assert.equal(await found({ from: at, before: null }), "456789");
    assert.equal(await found({ from: null, before: at }), "0123");
    for (const everything of [{}, null, undefined]) assert.equal(await found(everything), "0123456789");
    assert.equal(await found({ from: `${at.slice(0, -1)}001Z` }), "6789", "a nanosecond later");
    assert.equal(await found({ before: `${at.slice(0, -1)}001Z` }), "012345");
  });
});

Deno.test("time and afterSequence: an event must match both, and the query; limit and hasMore count matching events", async () => {
  const time = { from: stored[2]!.time, before: stored[8]!.time };
  await withAndWithout(async (read) => {
    const of = async (query: unknown, rest: object): Promise<[string, boolean | undefined]> => {
      const page = await read(query, { time, ...rest });
      return [payloadsOf(page).join(""), page.hasMore];
    };
    assert.deepEqual(await of("*", { afterSequence: 4 }), ["4567", false]);
    assert.deepEqual(await of("*", { afterSequence: 1 }), ["234567", false]);
    assert.deepEqual(await of("*", { afterSequence: 8 }), ["", false]);
    assert.deepEqual(await of([{ types: ["odd"] }], { afterSequence: 4 }), ["57", false]);
    assert.deepEqual(await of("*", { limit: 3 }), ["234", true]);
    assert.deepEqual(await of("*", { limit: 3, afterSequence: 5 }), ["567", false]);
    assert.deepEqual(await of([{ types: ["even"] }], { limit: 2 }), ["24", true]);
    assert.deepEqual(await of([{ types: ["even"] }], { limit: 1, afterSequence: 5 }), ["6", false]);
  });
});

Deno.test("time works with beforeSequence and backwards, on reads of committed events", async () => {
  const time = { from: stored[2]!.time, before: stored[8]!.time };
  const of = async (query: unknown, rest: object): Promise<[string, boolean | undefined]> => {
    const page = await committed(query, { time, ...rest });
    return [payloadsOf(page).join(""), page.hasMore];
  };
  const backwards = true;
  assert.deepEqual(await of("*", { backwards }), ["765432", false]);
  assert.deepEqual(await of("*", { backwards, limit: 2 }), ["76", true]);
  assert.deepEqual(await of("*", { backwards, beforeSequence: 7, limit: 2 }), ["54", true]);
  assert.deepEqual(await of("*", { backwards, beforeSequence: 5, limit: 2 }), ["32", false]);
  assert.deepEqual(await of([{ types: ["odd"] }], { backwards, afterSequence: 4 }), ["75", false]);
  assert.deepEqual(await of([{ types: ["odd"] }], { beforeSequence: 7 }), ["35", false]);
  assert.deepEqual(await of("*", { beforeSequence: 6, limit: 2 }), ["23", true]);
  assert.deepEqual(await of("*", { beforeSequence: 2, backwards }), ["", false]);
});

Deno.test("time finds the transaction's own events too", async () => {
  const transaction: Transaction = await begin(client);
  const [own] = expectStatus(await transaction.append([event("t", "own")]), 200)
    .json<{ events: { time: string }[] }>().events;
  await pause(1);
  expectStatus(await transaction.append([event("t", "later")]), 200);
  const time = { from: own!.time };
  assert.deepEqual(payloadsOf(await transaction.read("*", { time })), ["own", "later"]);
  assert.deepEqual(payloadsOf(await transaction.read("*", { time: { before: own!.time }, limit: 1 })), ["0"]);
  assert.deepEqual(payloadsOf(await committed("*", { time })), []);
  assertNoContent(await transaction.rollback());
});

// `timed_read.test.ts` has every cause.
const wrongTimes: readonly (readonly [time: unknown, message: RegExp])[] = [
  ["2026-01-01T00:00:00Z", /^time must be an object/],
  [
    { from: "2026-01-01T01:00:00+01:00", before: "2026-01-01T00:00:00Z" },
    /^time: "from" must be earlier than "before"$/,
  ],
  [{ before: "2026-02-30T00:00:00Z" }, /^time: before must be an RFC 3339 time, not "2026-02-30T00:00:00Z"$/],
];
Deno.test("time that is no time, no range or has unknown keys: 400, with and without a ticket", async () => {
  for (const [time, message] of wrongTimes) {
    const transaction = await begin(client);
    for (const read of [transaction.read.bind(transaction), committed]) {
      assertRejected((await read("*", { time })).reply, 400, "InvalidRequest", message);
    }
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
  }
});

Deno.test("time is no part of a condition, nor of POST /events", async () => {
  const wrong: [object, string][] = [
    [{ events: [], condition: { time: {} } }, 'condition: unknown key "time"'],
    [{ events: [], time: {} }, 'unknown key "time"'],
    [{ events: [{ type: "t", payload: "", time: stored[0]!.time }] }, 'events[0]: unknown key "time"'],
  ];
  for (const [json, message] of wrong) {
    const transaction = await begin(client);
    assertRejected(await transaction.call("POST", "/events", { json }), 400, "InvalidRequest", message);
  }
});
