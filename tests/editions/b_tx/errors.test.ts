import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { failWrites } from "../../support/failing_writes.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import {
  append,
  assertMetricsAgree,
  begin,
  createProjection,
  editionB,
  event,
  startEditionB,
  statistics,
  Tx,
  txLines,
} from "./client.ts";
import { fillQueue } from "./full_queue.ts";

const WAITING_MAX = 2;

const server = serverOfFile(editionB({ SERVICE_MAX_QUEUED_WRITES: String(WAITING_MAX) }));
const client = server.client();

Deno.test('400 InvalidRequest: "*" is no query of this edition, nor is time a key of a read', async () => {
  const expected = /^query must be "all" or "none" or a non-empty array of items, not "\*"$/;
  const read = (json: unknown): ReturnType<Client["request"]> => client.request("QUERY", "/events", { json });
  assertRejected(await read({ query: "*" }), 400, "InvalidRequest", expected);
  assertRejected(await (await begin(client)).read("*"), 400, "InvalidRequest", expected);
  assertRejected(await read({ query: "all", time: {} }), 400, "InvalidRequest", 'unknown key "time"');
  assertRejected(await read({}), 400, "InvalidRequest", "query is missing");
});

Deno.test("401 Unauthorized: on the calls of a transaction, which it does not end", async () => {
  await using guarded = await startEditionB({ SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "secret" });
  const known = guarded.client({ authorization: "Bearer secret" });
  const stranger = guarded.client();
  const tx = await begin(known);
  await tx.decide("all", event("t"));
  for (const [method, rest] of [["POST", "/commit"], ["POST", "/events"], ["DELETE", ""]] as const) {
    assertRejected(await stranger.request(method, `/tx/${tx.id}${rest}`), 401, "Unauthorized", /token/);
  }
  assertNoContent(await tx.commit());
});

Deno.test("409 NotPaused: POST /reset outside a pause, and with one only requested", async () => {
  await append(client, event("t", "kept"));
  assertRejected(await client.request("POST", "/reset"), 409, "NotPaused");
  const tx = await begin(client);
  expectStatus(await client.request("POST", "/pause"), 202);
  assertRejected(await client.request("POST", "/reset"), 409, "NotPaused");
  assertNoContent(await client.request("POST", "/resume"));
  assertNoContent(await tx.abandon());
  assert.equal((await client.queryEvents([{ types: ["t"] }])).events.at(-1)?.payload, "kept");
});

Deno.test("413 PayloadTooLarge: event, projection, body; each ends a transaction", async () => {
  const events = [event("t"), event("t", "x".repeat(65536))];
  const decided = await begin(client);
  txLines(await decided.read("all"));
  const eventMessage = "events[1] is 65537 bytes, more than maxEventSize (65536)";
  assertRejected(await decided.write(...events), 413, "PayloadTooLarge", eventMessage);
  assertRejected(await decided.write(), 404, "TransactionNotFound");

  const create = [{ type: "p", id: "1", payload: "x".repeat(65535) }];
  const tx = await begin(client);
  const message = "create[0] is 65537 bytes, more than maxProjectionSize (65536)";
  assertRejected(await tx.change({ create }), 413, "PayloadTooLarge", message);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
  const outside = await client.request("POST", "/projections", { json: { create } });
  assertRejected(outside, 413, "PayloadTooLarge", message);

  const body = "x".repeat(8388609);
  const bodyMessage = "request body exceeds maxRequestBodySize (8388608 bytes)";
  for (const rest of ["/events", "/projections", "/commit"]) {
    const large = await begin(client);
    if (rest === "/events") txLines(await large.read("all"));
    assertRejected(await large.call("POST", rest, { body }), 413, "PayloadTooLarge", bodyMessage);
    assertRejected(await large.commit(), 404, "TransactionNotFound");
  }
});

Deno.test("500 InternalError: a commit that fails in the database ends its transaction and writes nothing", async () => {
  const tx = await begin(client);
  await tx.decide("none", event("failed"));
  const before = await statistics(client);
  {
    using _failing = failWrites(server);
    assertRejected(await tx.commit(), 500, "InternalError", /^nothing was written/);
  }
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
  assert.deepEqual((await client.queryEvents([{ types: ["failed"] }])).events, []);
  const after = await statistics(client);
  assert.equal(after.errors.internal, before.errors.internal + 1);
  await assertMetricsAgree(client, after);
  assert.equal(after.writes.committed, before.writes.committed);
});

Deno.test("503 Paused: POST /tx while a pause is requested, and while one is in place", async () => {
  const tx = await begin(client);
  expectStatus(await client.request("POST", "/pause"), 202);
  assertRejected(await client.request("POST", "/tx"), 503, "Paused");
  assertNoContent(await tx.commit());
  expectStatus(await client.request("POST", "/pause"), 200);
  assertRejected(await client.request("POST", "/tx"), 503, "Paused");
  assertNoContent(await client.request("POST", "/resume"));
  assertNoContent(await (await begin(client)).abandon());
});

Deno.test("503 WriteQueueFull: on everything that takes a turn, a commit is over, nothing is written", async () => {
  await createProjection(client, "p", "kept");
  const full = await begin(client);
  await full.decide("none", event("rejected"));
  const empty = await begin(client);
  const before = await statistics(client);
  {
    using held = holdWriteLock(server);
    const waiting = await fillQueue(client, WAITING_MAX);
    assertRejected(await full.commit(), 503, "WriteQueueFull");
    assertRejected(await full.commit(), 404, "TransactionNotFound");
    const create = [{ type: "p", id: "rejected", payload: "" }];
    assertRejected(await client.request("POST", "/projections", { json: { create } }), 503, "WriteQueueFull");
    for (const target of ["/projections", "/projections/p"]) {
      assertRejected(await client.request("DELETE", target), 503, "WriteQueueFull");
    }
    for (const target of ["/pause", "/resume", "/optimize", "/reset"]) {
      assertRejected(await client.request("POST", target), 503, "WriteQueueFull");
    }
    assertNoContent(await empty.commit());
    const nothing = await client.request("POST", "/projections", { json: {} });
    assert.deepEqual(expectStatus(nothing, 200).json(), { create: [], replace: [] });
    held.release();
    for (const connection of waiting) connection.close();
  }
  const after = await statistics(client);
  // One of these requests was rejected while the test filled the queue.
  assert.equal(after.writes.writeQueueFull, before.writes.writeQueueFull + 9);
  await assertMetricsAgree(client, after);
  assert.equal(after.pause.state, "normal");
  assert.deepEqual((await client.queryEvents([{ types: ["rejected"] }])).events, []);
  expectStatus(await client.request("GET", "/projections/p/kept"), 200);
  expectStatus(await client.request("GET", "/projections/p/rejected"), 404);
});

Deno.test("503 ShuttingDown: writes that wait or arrive while the server stops; nothing is written", async () => {
  await using stopping = await startEditionB();
  const own = stopping.client();
  const waiting = await begin(own);
  await waiting.decide("none", event("t"));
  const arriving = await begin(own);
  await arriving.decide("none", event("t"));
  const create = { create: [{ type: "p", id: "1", payload: "" }] };
  const requests = [
    own.bytesOf("POST", `/tx/${arriving.id}/commit`, { json: {} }),
    own.bytesOf("POST", "/projections", { json: create }),
    own.bytesOf("POST", "/pause", { json: {} }),
    own.bytesOf("DELETE", "/projections", { json: {} }),
  ];
  using held = holdWriteLock(stopping);
  using _active = await own.begin("DELETE", "/projections/none");
  using commit = await own.begin("POST", `/tx/${waiting.id}/commit`);
  await eventually(async () => assertRejected(await waiting.get("p", "1"), 409, "TransactionBusy", /./));
  const late: Connection[] = [];
  for (const bytes of requests) {
    const connection = await Connection.open(own.address);
    await connection.send(bytes.subarray(0, -1));
    late.push(connection);
  }
  await eventually(async () => assertRejected(await arriving.get("p", "1"), 409, "TransactionBusy", /./));
  stopping.signal("SIGTERM");
  assertRejected(await commit.readReply("POST"), 503, "ShuttingDown");
  for (const [i, connection] of late.entries()) {
    await connection.send(requests[i]!.subarray(-1));
    assertRejected(await connection.readReply("POST"), 503, "ShuttingDown");
    connection.close();
  }
  held.release();
  assert.equal((await stopping.ended()).code, 0);
  await stopping.start();
  assert.deepEqual((await own.queryEvents("all")).events, []);
  expectStatus(await own.request("GET", "/projections/p/1"), 404);
  assertRejected(await new Tx(own, waiting.id).commit(), 404, "TransactionNotFound");
});

Deno.test("a body with broken chunks is 400 in plain text, ends the transaction, and is no internal failure", async () => {
  const tx = await begin(client);
  const before = await statistics(client);
  using connection = await Connection.open(client.address);
  await connection.send(
    `POST /tx/${tx.id}/projections HTTP/1.1\r\nhost: x\r\ntransfer-encoding: chunked\r\n\r\nno size\r\n`,
  );
  assertPlainText(await connection.readReply("POST"), 400);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
  assert.equal((await statistics(client)).errors.internal, before.errors.internal);
});
