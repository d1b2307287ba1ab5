import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertRejected, TIMESTAMP, UUID } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({
    listen: "unix",
    env: {
      SERVICE_DEV_MODE: "true",
      SERVICE_DEFAULT_EVENTS_PER_PAGE: "3",
      SERVICE_MAX_EVENTS_PER_PAGE: "5",
    },
  });
  client = server.client();
});
Deno.test.beforeEach(() => client.reset());
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

function numbered(count: number): unknown[] {
  return Array.from({ length: count }, (_, i) => ({ type: "t", identifiers: {}, payload: String(i + 1) }));
}

const sequences = (events: readonly { sequence: number }[]): number[] => events.map((e) => e.sequence);

Deno.test("QUERY /events of an empty store is 200 NDJSON with a trailer only, a store ID and no-store", async () => {
  const { reply } = await client.queryEvents();
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
  assert.equal(reply.headers.get("cache-control"), "no-store");
  assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  assert.deepEqual(JSON.parse(reply.text), { hasMore: false });
});

Deno.test("an event line has exactly its six keys, the trailer is the last line", async () => {
  await client.append({
    type: "opened",
    identifiers: { account: "a1" },
    metadata: { by: "x" },
    payload: "p",
  });
  const lines = (await client.queryEvents()).reply.text.trimEnd().split("\n");
  assert.equal(lines.length, 2);
  const { time, ...rest } = JSON.parse(lines[0] ?? "");
  assert.match(time, TIMESTAMP);
  assert.deepEqual(rest, {
    sequence: 1,
    type: "opened",
    identifiers: { account: "a1" },
    metadata: { by: "x" },
    payload: "p",
  });
  assert.deepEqual(JSON.parse(lines[1] ?? ""), { hasMore: false });
});

Deno.test("events come in ascending sequence from 1 without a gap, in the order sent", async () => {
  await client.append(...numbered(2));
  await client.append(...numbered(3));
  const page = await client.queryEvents("*", { limit: 5 });
  assert.deepEqual(sequences(page.events), [1, 2, 3, 4, 5]);
  assert.deepEqual(page.events.map((event) => event.payload), ["1", "2", "1", "2", "3"]);
});

Deno.test("afterSequence returns only strictly greater sequences", async () => {
  await client.append(...numbered(4));
  for (
    const [afterSequence, expected] of [[0, [1, 2, 3]], [1, [2, 3, 4]], [3, [4]], [4, []], [99, []]] as const
  ) {
    assert.deepEqual(sequences((await client.queryEvents("*", { afterSequence })).events), [...expected]);
  }
});

Deno.test("an afterSequence of up to 2^63-1 is an empty page that still carries the store ID", async () => {
  await client.append(...numbered(1));
  for (const literal of ["9007199254740993", "9223372036854775807"]) {
    const reply = await client.request("QUERY", "/events", {
      body: `{"query":"*","afterSequence":${literal}}`,
    });
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(JSON.parse(reply.text), { hasMore: false });
    assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  }
});

Deno.test("limit: absent it is defaultEventsPerPage, and hasMore says whether more events matched", async () => {
  await client.append(...numbered(4));
  const shape = async (limit?: number): Promise<unknown[]> => {
    const page = await client.queryEvents("*", limit === undefined ? {} : { limit });
    return [page.events.length, page.hasMore];
  };
  assert.deepEqual(await shape(), [3, true]);
  assert.deepEqual(await shape(1), [1, true]);
  assert.deepEqual(await shape(4), [4, false]);
  assert.deepEqual(await shape(5), [4, false]);
  assertRejected(
    await client.request("QUERY", "/events", { json: { query: "*", limit: 6 } }),
    400,
    "InvalidRequest",
    /maxEventsPerPage/,
  );
});

Deno.test("hasMore counts matching events only", async () => {
  await client.append(...numbered(2), { type: "other", identifiers: {}, payload: "" });
  assert.equal((await client.queryEvents([{ types: ["t"] }], { limit: 2 })).hasMore, false);
  assert.equal((await client.queryEvents([{ types: ["t"] }], { limit: 1 })).hasMore, true);
});

Deno.test("next page: the cursor loop gives every event once and then follows new ones", async () => {
  await client.append(...numbered(7));
  const first = await client.queryEvents("*");
  await client.append(...numbered(1));
  const second = await client.queryEvents("*", { afterSequence: first.events.at(-1)?.sequence ?? 0 });
  const third = await client.queryEvents("*", { afterSequence: second.events.at(-1)?.sequence ?? 0 });
  assert.deepEqual(sequences([...first.events, ...second.events, ...third.events]), [1, 2, 3, 4, 5, 6, 7, 8]);
  assert.deepEqual([first.hasMore, second.hasMore, third.hasMore], [true, true, false]);
  await client.append(...numbered(1));
  assert.deepEqual(sequences((await client.queryEvents("*", { afterSequence: 8 })).events), [9]);
});

Deno.test("reads never wait in the write queue, and do not see a running write", async () => {
  await client.append(...numbered(1));
  using held = holdWriteLock(server);
  const writing = client.append(...numbered(1));
  await waitForQueue(client, 0);
  assert.deepEqual(sequences((await client.queryEvents()).events), [1]);
  held.release();
  await writing;
  assert.deepEqual(sequences((await client.queryEvents()).events), [1, 2]);
});

Deno.test("every page of one history carries the same store ID, which changes only with a reset", async () => {
  const before = (await client.queryEvents()).store;
  await client.append(...numbered(1));
  assert.equal((await client.queryEvents()).store, before);
  assert.equal((await client.queryEvents("*", { afterSequence: 1 })).store, before);
  await client.reset();
  assert.notEqual((await client.queryEvents()).store, before);
});

Deno.test("the store ID and every event are the same after a restart", async () => {
  await client.append(...numbered(3));
  const before = await client.queryEvents();
  await server.restart();
  const after = await client.queryEvents();
  assert.equal(after.store, before.store);
  assert.equal(after.reply.text, before.reply.text);
});

Deno.test("a body in chunks and any Content-Type are fine", async () => {
  await client.append(...numbered(1));
  const reply = await client.request("QUERY", "/events", {
    body: JSON.stringify({ query: "*" }) + " \r\n\t",
    chunkBytes: 3,
    headers: { "content-type": "text/html" },
  });
  assert.equal(reply.status, 200);
  assert.equal(reply.text.trimEnd().split("\n").length, 2);
});

Deno.test("null for an optional key of a read means left out", async () => {
  await client.append(...numbered(4));
  const reply = await client.request("QUERY", "/events", {
    json: { query: "*", afterSequence: null, limit: null },
  });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.text.trimEnd().split("\n").length, 4);
});
