import assert from "node:assert/strict";
import { type Client, parsePage } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { begin, createProjection, event, startEditionC, type Transaction, waitForWaiting } from "./client.ts";

/*
 * The endpoint table and the error table of the document, row by row: one test for the purpose of each. Other files
 * test the details.
 */

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionC({ SERVICE_MAX_QUEUED_TRANSACTIONS: "1", SERVICE_MAX_EVENT_SIZE: "100" });
  client = server.client();
});
Deno.test.beforeEach(async () => {
  assertNoContent(await client.request("POST", "/resume"));
  assertNoContent(await client.request("POST", "/reset"));
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

type Send = (options?: { json?: unknown; ticket?: Transaction }) => Promise<Reply>;

function row(method: string, target: string, ticket: string, run: (send: Send) => Promise<void>): void {
  const send: Send = ({ json, ticket } = {}) =>
    client.request(method, target, {
      json,
      headers: ticket === undefined ? {} : { "X-Service-Ticket": ticket.ticket },
    });
  Deno.test(`endpoint ${method} ${target}, ticket: ${ticket}`, () => run(send));
}

row("POST", "/begin", "none", async (send) => {
  const { ticket, ...others } = expectStatus(await send(), 200).json<{ ticket: string }>();
  assert.match(ticket, UUID);
  assert.deepEqual(others, {});
});

row("QUERY", "/events", "optional: inside the transaction or from committed data", async (send) => {
  const ticket = await begin(client);
  expectStatus(await ticket.append([event("own")]), 200);
  const json = { query: "*" };
  assert.equal(parsePage(await send({ json, ticket })).events.length, 1);
  assert.equal(parsePage(await send({ json })).events.length, 0);
});

row("POST", "/events", "required", async (send) => {
  const json = { events: [event("t")] };
  assert.equal((await send({ json })).status, 400);
  const ticket = await begin(client);
  const { events } = expectStatus(await send({ json, ticket }), 200).json<{ events: unknown[] }>();
  assert.equal(events.length, 1);
});

row("GET", "/projections/p/1", "optional: inside the transaction or from committed data", async (send) => {
  const ticket = await begin(client);
  expectStatus(await ticket.change({ create: [{ type: "p", id: "1", payload: "own" }] }), 200);
  assert.equal((await send({ ticket })).text, "own");
  assert.equal((await send()).status, 404);
});

row("POST", "/projections", "required, or none while paused", async (send) => {
  const json = { create: [{ type: "p", id: "1", payload: "" }] };
  assertRejected(await send({ json }), 409, "NotPaused");
  const ticket = await begin(client);
  expectStatus(await send({ json, ticket }), 200);
  assertNoContent(await ticket.rollback());
  assertNoContent(await client.request("POST", "/pause"));
  expectStatus(await send({ json }), 200);
});

for (const [target, kept] of [["/commit", 1], ["/rollback", 0]] as const) {
  row("POST", target, "required", async (send) => {
    assert.equal((await send()).status, 400);
    const ticket = await begin(client);
    expectStatus(await ticket.append([event("t")]), 200);
    assertNoContent(await send({ ticket }));
    assert.equal((await client.queryEvents()).events.length, kept);
  });
}

for (const target of ["/projections/p", "/projections"]) {
  row("DELETE", target, "none, paused only", async (send) => {
    await createProjection(client, "p", "1");
    await createProjection(client, "q", "1");
    assertRejected(await send(), 409, "NotPaused");
    assertNoContent(await client.request("POST", "/pause"));
    assertNoContent(await send());
    const statuses = await Promise.all(
      ["p", "q"].map(async (type) => (await client.request("GET", `/projections/${type}/1`)).status),
    );
    assert.deepEqual(statuses, [404, target === "/projections" ? 404 : 200]);
  });
}

row("POST", "/pause", "none", async (send) => {
  assertNoContent(await send());
  assertRejected(await client.request("POST", "/begin"), 503, "Paused");
});

row("POST", "/resume", "none", async (send) => {
  assertNoContent(await client.request("POST", "/pause"));
  assertNoContent(await send());
  await begin(client);
});

row("POST", "/reset", "none, development mode only", async (send) => {
  const ticket = await begin(client);
  assertNoContent(await send());
  assertRejected(await ticket.commit(), 410, "TicketNotActive");
});

for (const target of ["/health", "/metrics", "/debug"]) {
  row("GET", target, "none", async (send) => {
    const reply = expectStatus(await send(), 200);
    assert.equal(reply.headers.get("cache-control"), "no-store");
    assert.equal(reply.headers.has("x-service-store"), false);
  });
}

/** Tests a row of the error table. Some codes come without a message, because their name says everything. */
function errorRow(
  status: number,
  code: string,
  message: RegExp | undefined,
  send: () => Promise<Reply>,
): void {
  Deno.test(`error ${status} ${code}, ${message === undefined ? "without" : "with"} a message`, async () => {
    assertRejected(await send(), status, code, message);
  });
}

errorRow(400, "InvalidRequest", /^events is missing$/, async () => {
  return await (await begin(client)).call("POST", "/events", { json: {} });
});
errorRow(401, "Unauthorized", /./, async () => {
  await using guarded = await startEditionC({ SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "secret" });
  return await guarded.client().request("POST", "/begin");
});
errorRow(404, "ProjectionNotFound", undefined, () => client.request("GET", "/projections/p/1"));
errorRow(409, "ConcurrencyException", undefined, async () => {
  const transaction = await begin(client);
  await transaction.append([event("t")]);
  return await transaction.append([event("t")], { failIfEventsMatch: "*" });
});
errorRow(409, "ConcurrencyException", /^delete\[0\] no longer has the given version$/, async () => {
  return await (await begin(client)).change({ delete: [{ type: "p", id: "1", version: "v" }] });
});
errorRow(409, "NotPaused", undefined, () => client.request("DELETE", "/projections"));
errorRow(410, "TicketNotActive", undefined, async () => {
  const transaction = await begin(client);
  await transaction.rollback();
  return await transaction.commit();
});
errorRow(413, "PayloadTooLarge", /^events\[0\] is 101 bytes, more than maxEventSize \(100\)$/, async () => {
  return await (await begin(client)).append([event("t", "x".repeat(100))]);
});
errorRow(503, "TransactionQueueFull", undefined, async () => {
  await begin(client);
  using _waiting = await client.begin("POST", "/begin");
  await waitForWaiting(client, 1);
  return await client.request("POST", "/begin");
});
errorRow(503, "Paused", undefined, async () => {
  assertNoContent(await client.request("POST", "/pause"));
  return await client.request("POST", "/begin");
});
