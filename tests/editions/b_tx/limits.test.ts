import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { append, begin, editionB, event, statistics, type Tx, txLines } from "./client.ts";

const IDLE_MILLISECONDS = 1000;

const server = serverOfFile(editionB({
  SERVICE_TX_IDLE_TIMEOUT: String(IDLE_MILLISECONDS / 1000),
  SERVICE_MAX_EVENTS_PER_TX: "5",
  SERVICE_MAX_READS_PER_TX: "3",
  SERVICE_MAX_PROJECTIONS_PER_TX: "3",
  SERVICE_MAX_PROJECTIONS_PER_WRITE: "2",
  SERVICE_MAX_EVENT_SIZE: "100",
  SERVICE_MAX_PROJECTION_SIZE: "100",
  SERVICE_MAX_OPEN_TX: "4",
}));
const client = server.client();

const projections = (...ids: readonly string[]): unknown[] =>
  ids.map((id) => ({ type: "p", id, payload: "" }));

async function assertRejectedAndEnded(
  tx: Tx,
  call: () => ReturnType<Tx["commit"]>,
  message: string,
): Promise<void> {
  assertRejected(await call(), 400, "InvalidRequest", message);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
}

Deno.test("maxEventsPerTx: as many in several writes, one more is 400 and ends the transaction", async () => {
  const two = [event("t"), event("t")];
  const full = await begin(client);
  await full.decide("none", ...two);
  await full.decide("none", ...two, event("t"));
  assertNoContent(await full.commit());
  assert.equal((await client.queryEvents("all")).events.length, 5);
  const over = await begin(client);
  await over.decide("none", ...two);
  await over.decide("none", ...two);
  txLines(await over.read("none"));
  const message = "the transaction has more events than maxEventsPerTx (5)";
  await assertRejectedAndEnded(over, () => over.write(...two), message);
  assert.equal((await client.queryEvents("all")).events.length, 5);
});

Deno.test('maxReadsPerTx: "none" counts, one more is 400 and ends the transaction', async () => {
  const tx = await begin(client);
  for (const query of ["none", "all", [{ types: ["t"] }]]) await tx.decide(query);
  const message = "the transaction has more reads than maxReadsPerTx (3)";
  await assertRejectedAndEnded(tx, () => tx.read("none"), message);
});

Deno.test("the reads of a transaction name 10,000 values in all, one more is 400 and ends it", async () => {
  const items = Array.from({ length: 50 }, (_, i) => ({
    types: Array.from({ length: 100 }, (_, j) => `${i} ${j}`),
  }));
  const tx = await begin(client);
  for (let i = 0; i < 2; i++) await tx.decide(items);
  const message = "the reads of the transaction name more than 10000 values";
  await assertRejectedAndEnded(tx, () => tx.read([{ types: ["t"] }]), message);
});

Deno.test("maxProjectionsPerTx: distinct ones that it writes, one more is 400 and ends the transaction", async () => {
  const tx = await begin(client);
  expectStatus(await tx.change({ create: projections("1", "2") }), 200);
  expectStatus(await tx.change({ replace: projections("1"), create: projections("3") }), 200);
  expectStatus(await tx.change({ delete: [{ type: "p", id: "3" }] }), 200);
  expectStatus(await tx.change({ create: projections("3") }), 200);
  const message = "the transaction writes 4 projections, more than maxProjectionsPerTx (3)";
  await assertRejectedAndEnded(tx, () => tx.change({ create: projections("4") }), message);
});

Deno.test("maxProjectionsPerTx does not count the projections that a transaction only reads", async () => {
  const tx = await begin(client);
  for (const id of ["r1", "r2", "r3", "r4"]) expectStatus(await tx.get("p", id), 404);
  expectStatus(await tx.change({ create: projections("1") }), 200);
  assertNoContent(await tx.abandon());
});

Deno.test("maxProjectionsPerWrite bounds POST /projections, not the writes of a transaction", async () => {
  const json = { create: projections("1", "2", "3") };
  const message = "request carries 3 projections, more than maxProjectionsPerWrite (2)";
  assertRejected(await client.request("POST", "/projections", { json }), 400, "InvalidRequest", message);
  const tx = await begin(client);
  expectStatus(await tx.change(json), 200);
  assertNoContent(await tx.abandon());
});

Deno.test("maxEventSize and maxProjectionSize count bytes, and are inclusive", async () => {
  const tx = await begin(client);
  txLines(await tx.read("none"));
  // Each event has 100 bytes: type, identifier, payload in UTF-8.
  expectStatus(await tx.write(event("t", "\u20ac".repeat(32) + "x", { a: "b" })), 200);
  expectStatus(
    await tx.change({ create: [{ type: "p", id: "1", payload: "\u20ac".repeat(32) + "xx" }] }),
    200,
  );
  txLines(await tx.read("none"));
  assertRejected(
    await tx.write(event("t"), event("t", "\u20ac".repeat(33), { a: "b" })),
    413,
    "PayloadTooLarge",
    "events[1] is 102 bytes, more than maxEventSize (100)",
  );
});

Deno.test("maxOpenTx: one more is 503 TooManyTransactions naming the setting, until one ends", async () => {
  const open = [await begin(client), await begin(client), await begin(client), await begin(client)];
  const reply = await client.request("POST", "/tx");
  assertRejected(
    reply,
    503,
    "TooManyTransactions",
    "4 transactions are already open, the limit set by maxOpenTx",
  );
  assertNoContent(await open[0]!.abandon());
  open[0] = await begin(client);
  for (const tx of open) assertNoContent(await tx.abandon());
});

Deno.test("open -> txIdleTimeout without a call -> ended; each call begins it anew", async () => {
  const idle = await begin(client);
  await idle.decide("none", event("expired"));
  const called = await begin(client);
  await called.decide("none", event("called"));
  const before = await statistics(client);
  for (let i = 0; i < 4; i++) {
    await pause(IDLE_MILLISECONDS / 2);
    assertRejected(await called.get("p", "none"), 404, "ProjectionNotFound");
  }
  assertRejected(await idle.commit(), 404, "TransactionNotFound");
  assertNoContent(await idle.abandon());
  assert.equal((await statistics(client)).transactions.expired, before.transactions.expired + 1);
  assertNoContent(await called.commit());
  assert.deepEqual((await client.queryEvents([{ types: ["expired"] }])).events, []);
  assert.equal((await client.queryEvents([{ types: ["called"] }])).events.length, 1);
});

Deno.test("a call that runs for longer than txIdleTimeout is not cut off, and the time runs from its end", async () => {
  const tx = await begin(client);
  const bytes = client.bytesOf("POST", `/tx/${tx.id}/projections`, { json: { create: projections("slow") } });
  using slow = await Connection.open(client.address);
  await slow.send(bytes.subarray(0, -1));
  await pause(1.8 * IDLE_MILLISECONDS);
  await slow.send(bytes.subarray(-1));
  expectStatus(await slow.readReply("POST"), 200);
  await pause(0.6 * IDLE_MILLISECONDS);
  assertNoContent(await tx.commit());
  await append(client, event("goes on"));
  await eventually(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));
});
