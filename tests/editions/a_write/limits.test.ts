import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

const EVENT_BYTES_MAX = 100;
const PROJECTION_BYTES_MAX = 90;
const BODY_BYTES_MAX = 400_000;

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({
    listen: "unix",
    env: {
      SERVICE_MAX_EVENT_SIZE: String(EVENT_BYTES_MAX),
      SERVICE_MAX_PROJECTION_SIZE: String(PROJECTION_BYTES_MAX),
      SERVICE_MAX_REQUEST_BODY_SIZE: String(BODY_BYTES_MAX),
      SERVICE_MAX_PROJECTIONS_PER_WRITE: "7",
    },
  });
  client = server.client();
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const numbers = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
const event = { type: "t", identifiers: {}, payload: "" };
const invalid = (reply: Reply, message: string | RegExp): void =>
  assertRejected(reply, 400, "InvalidRequest", message);
const tooLarge = (reply: Reply, message: string): void =>
  assertRejected(reply, 413, "PayloadTooLarge", message);

for (const namespace of ["identifiers", "metadata"]) {
  Deno.test(`an event takes 20 ${namespace} and rejects 21, values of one name counted each`, async () => {
    const write = (tags: unknown): Promise<Reply> =>
      client.write({ events: [event, { type: "t", payload: "", [namespace]: tags }] });
    const names = (count: number): unknown => Object.fromEntries(numbers(count).map((name) => [name, "v"]));
    for (const tags of [names(20), { a: numbers(20) }, { a: numbers(19), b: "1" }]) {
      assert.equal((await write(tags)).status, 200);
    }
    for (const tags of [names(21), { a: numbers(21) }, { a: numbers(20), b: "1" }]) {
      invalid(await write(tags), /^events\[1\]: .*20/);
    }
  });
}

Deno.test("20 identifiers and 20 metadata entries fit on one event, a name counted once per value", async () => {
  const write = (values: readonly string[]): Promise<Reply> =>
    client.write({
      events: [{ type: "t", identifiers: { a: values }, metadata: { a: values }, payload: "" }],
    });
  assert.equal((await write([..."abcdefghijklmnopqrst"])).status, 200);
  // 1 byte for the type, twice 20 for the names, 10 + 20 for the values.
  tooLarge(await write(numbers(20)), "events[0] is 101 bytes, more than maxEventSize (100)");
});

Deno.test("maxEventSize is inclusive and counts UTF-8 bytes of type, every tag and the payload", async () => {
  const write = (payloadBytes: number): Promise<Reply> =>
    client.write({
      events: [event, {
        type: "ty\u00e9",
        identifiers: { "\u{1f600}": ["a", "b"] },
        metadata: { m: "\u20ac" },
        payload: "x".repeat(payloadBytes),
      }],
    });
  // 4 bytes for the type, 2 x (4 + 1) for the identifiers, 1 + 3 for the metadata.
  const around = 4 + 10 + 4;
  assert.equal((await write(EVENT_BYTES_MAX - around)).status, 200);
  tooLarge(
    await write(EVENT_BYTES_MAX - around + 1),
    "events[1] is 101 bytes, more than maxEventSize (100)",
  );
});

Deno.test("maxProjectionSize is inclusive and counts UTF-8 bytes of type, id and payload", async () => {
  const create = (id: string, payload: string): Promise<Reply> =>
    client.write({ projections: { create: [{ type: "t\u00e9", id, payload }] } });
  assert.equal((await create("id", "x".repeat(85))).status, 200);
  tooLarge(
    await create("id2", "x".repeat(85)),
    "projections.create[0] is 91 bytes, more than maxProjectionSize (90)",
  );
  const replace = { type: "t", id: "a", version: "v", payload: "\u20ac".repeat(30) };
  tooLarge(
    await client.write({ projections: { replace: [replace] } }),
    "projections.replace[0] is 92 bytes, more than maxProjectionSize (90)",
  );
  const deletion = { type: "t", id: "a".repeat(90), version: "v" };
  tooLarge(
    await client.write({ projections: { delete: [deletion] } }),
    "projections.delete[0] is 91 bytes, more than maxProjectionSize (90)",
  );
});

Deno.test("items are checked in order, each for its rules and then for its size", async () => {
  const large = { type: "t", payload: "x".repeat(100) };
  tooLarge(
    await client.write({ events: [large, { type: "t" }] }),
    "events[0] is 101 bytes, more than maxEventSize (100)",
  );
  invalid(await client.write({ events: [{ type: "t" }, large] }), /^events\[0\]/);
  invalid(await client.write({ events: [{ ...large, x: 1 }] }), /^events\[0\].*x/);
});

Deno.test("maxEventsPerWrite: 100 events and 100 conditions are taken, 101 of either rejected", async () => {
  const events = Array(100).fill(event);
  const conditions = Array(100).fill({});
  assert.equal((await client.write({ events, conditions })).status, 200);
  invalid(
    await client.write({ events: [...events, event] }),
    "request carries 101 events, more than maxEventsPerWrite (100)",
  );
  invalid(
    await client.write({ conditions: [...conditions, {}] }),
    "request carries 101 conditions, more than maxEventsPerWrite (100)",
  );
});

Deno.test("maxProjectionsPerWrite counts across the three lists", async () => {
  const create = (count: number, name: string): unknown[] =>
    numbers(count).map((id) => ({ type: name, id, payload: "" }));
  assert.equal((await client.write({ projections: { create: create(7, "seven") } })).status, 200);
  const projections = {
    create: create(3, "more"),
    replace: [{ type: "a", id: "1", version: "v", payload: "" }],
    delete: numbers(4).map((id) => ({ type: "b", id, version: "v" })),
  };
  invalid(
    await client.write({ projections }),
    "request carries 8 projections, more than maxProjectionsPerWrite (7)",
  );
});

Deno.test("maxRequestBodySize is inclusive on every endpoint that reads a body, with and without a length", async () => {
  const message = `request body exceeds maxRequestBodySize (${BODY_BYTES_MAX} bytes)`;
  for (
    const [method, target, json] of [["QUERY", "/events", '{"query":"*"}'], ["POST", "/write", "{}"]] as const
  ) {
    for (const chunkBytes of [0, 10_000]) {
      const exact = json.padEnd(BODY_BYTES_MAX);
      assert.equal((await client.request(method, target, { body: exact, chunkBytes })).status, 200);
      tooLarge(await client.request(method, target, { body: `${exact} `, chunkBytes }), message);
    }
  }
});

Deno.test("maxRequestBodySize holds for endpoints that take no body, which ignore smaller ones", async () => {
  const message = `request body exceeds maxRequestBodySize (${BODY_BYTES_MAX} bytes)`;
  const endpoints = [["DELETE", "/projections"], ["DELETE", "/projections/t"], ["GET", "/health"], [
    "GET",
    "/projections/t/a",
  ]] as const;
  for (const [method, target] of endpoints) {
    assert.ok((await client.request(method, target, { body: "{" })).status !== 400, target);
    tooLarge(await client.request(method, target, { body: "x".repeat(BODY_BYTES_MAX + 1) }), message);
  }
});

Deno.test("an announced body over maxRequestBodySize is rejected without waiting for it", async () => {
  using connection = await client.begin("POST", "/write", {
    headers: { "content-length": String(BODY_BYTES_MAX + 1) },
  });
  assert.equal((await connection.readHead()).status, 413);
});

Deno.test("100 items of 100 values are taken in a read and in a condition", async () => {
  const query = numbers(100).map((i) => ({ types: numbers(100).map((j) => `${i} ${j}`) }));
  assert.equal((await client.queryEvents(query)).reply.status, 200);
  assert.equal((await client.write({ conditions: [{ failIfEventsMatch: query }] })).status, 200);
});
