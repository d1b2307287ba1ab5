import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { psql } from "../../support/psql.ts";
import { assertNoContent, assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { schemaOf, testsPostgres } from "../../support/test_storage.ts";
import {
  append,
  begin,
  type CallOptions,
  editionC,
  ends,
  event,
  sequencesOf,
  startEditionC,
  Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

/*
 * The first state table of the document, row by row: what an active or ended ticket does. The name of a test is the
 * row: state, trigger, condition, next state. `sequences.test.ts` plays the second table, of who gets a ticket.
 */

const server = sharedServer(
  editionC({ SERVICE_MAX_QUEUED_TRANSACTIONS: "2", SERVICE_MAX_EVENT_SIZE: "1000" }),
);
const client = server.client();

/** Returns true when another program could write to the database now. */
function isWriteLockFree(): boolean {
  if (testsPostgres()) {
    return psql(`SELECT id FROM ${schemaOf(server.dataDir)}.store FOR UPDATE SKIP LOCKED`) !== "";
  }
  const database = new DatabaseSync(server.databasePath, { timeout: 0 });
  try {
    database.exec("BEGIN IMMEDIATE");
    database.exec("ROLLBACK");
    return true;
  } catch {
    return false;
  } finally {
    database.close();
  }
}

Deno.test("(none) -> POST /begin, no other active, not paused -> active: ticket issued, write lock held", async () => {
  assert.equal(isWriteLockFree(), true);
  const transaction = await begin(client);
  assert.equal(isWriteLockFree(), false);
  assertNoContent(await transaction.rollback());
  assert.equal(isWriteLockFree(), true);
});

Deno.test("(none) -> POST /begin, another active -> waiting; waiting -> turn arrives, not paused -> active", async () => {
  const first = await begin(client);
  using second = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  using third = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  const replies: string[] = [];
  void second.ticket().then((transaction) => (replies.push("second"), transaction.commit()));
  const last = third.ticket().then((transaction) => (replies.push("third"), transaction.commit()));
  // Both wait until the first transaction ends.
  expectStatus(await first.append([event("t", "first")]), 200);
  assert.deepEqual(replies, []);
  assertNoContent(await first.commit());
  assertNoContent(await last);
  assert.deepEqual(replies, ["second", "third"]);
});

async function payloads(): Promise<string[]> {
  return (await client.queryEvents()).events.map(({ payload }) => payload);
}

/** Ends a transaction, and asserts that it has written nothing and that the turn is free. */
async function assertRolledBack(
  reason: string,
  end: (transaction: Transaction) => Promise<void>,
): Promise<void> {
  const before = await ends(client);
  const transaction = await begin(client);
  assert.deepEqual(sequencesOf(await transaction.append([event("t", "undone")])), [1]);
  expectStatus(await transaction.change({ create: [{ type: "undone", id: "1", payload: "" }] }), 200);
  using next = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  await end(transaction);
  const successor = await next.ticket();
  assertRejected(await transaction.get("undone", "1"), 410, "TicketNotActive");
  assert.deepEqual((await successor.read()).events, []);
  assert.equal((await successor.get("undone", "1")).status, 404);
  assertNoContent(await successor.commit());
  const after = await ends(client);
  assert.deepEqual(after, { ...before, committed: before["committed"]! + 1, [reason]: before[reason]! + 1 });
}

Deno.test("active -> POST /commit -> ended, 204: ticket inactive, database commits, next gets its ticket", async () => {
  const transaction = await begin(client);
  expectStatus(await transaction.append([event("t", "kept")]), 200);
  expectStatus(await transaction.change({ create: [{ type: "kept", id: "1", payload: "p" }] }), 200);
  using next = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  assertNoContent(await transaction.commit());
  assert.deepEqual(await payloads(), ["kept"]);
  assert.equal((await client.request("GET", "/projections/kept/1")).text, "p");
  const successor = await next.ticket();
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assertNoContent(await successor.commit());
});

Deno.test("active -> POST /commit with nothing to write -> ended, 204", async () => {
  assertNoContent(await (await begin(client)).commit());
});

Deno.test("active -> POST /rollback -> ended, 204, rolled back", async () => {
  await assertRolledBack("client", async (transaction) => assertNoContent(await transaction.rollback()));
});

const large = "x".repeat(1001);
const errors: readonly (readonly [string, number, string, string, CallOptions])[] = [
  ["a malformed body", 400, "InvalidRequest", "POST /events", { body: "{" }],
  ["no body", 400, "InvalidRequest", "POST /projections", {}],
  ["an invalid query", 400, "InvalidRequest", "QUERY /events", { json: { query: [] } }],
  ["a limit exceeded", 400, "InvalidRequest", "QUERY /events", { json: { query: "*", limit: 10001 } }],
  ["an invalid event", 400, "InvalidRequest", "POST /events", { json: { events: [{ type: "" }] } }],
  ["a missing key", 400, "InvalidRequest", "POST /events", { json: {} }],
  ["an event over its size", 413, "PayloadTooLarge", "POST /events", { json: { events: [event(large)] } }],
  ["a condition that fails", 409, "ConcurrencyException", "POST /events", {
    json: { events: [event("t")], condition: { failIfEventsMatch: "*" } },
  }],
  ["a create of what exists", 409, "ConcurrencyException", "POST /projections", {
    json: { create: [{ type: "undone", id: "1", payload: "" }] },
  }],
  ["a replace of what is gone", 409, "ConcurrencyException", "POST /projections", {
    json: { replace: [{ type: "p", id: "1", version: "v", payload: "" }] },
  }],
  ["a delete at another version", 409, "ConcurrencyException", "POST /projections", {
    json: { delete: [{ type: "undone", id: "1", version: "v" }] },
  }],
];
for (const [what, status, code, call, options] of errors) {
  Deno.test(`active -> ${call} with an error: ${what}, ${status} ${code} -> ended, rolled back`, async () => {
    const [method, target] = call.split(" ") as [string, string];
    await assertRolledBack("error", async (transaction) => {
      const reply = await transaction.call(method, target, options);
      assert.deepEqual([reply.status, reply.json<{ error: string }>().error], [status, code], reply.text);
    });
  });
}

Deno.test("active -> a body that is not chunked as announced, 400 -> ended, rolled back", async () => {
  await assertRolledBack("error", async (transaction) => {
    const headers = { "transfer-encoding": "chunked" };
    using call = await transaction.start("POST", "/events", { headers });
    await call.send("nonsense\r\n");
    assertPlainText(await call.readReply("POST"), 400);
  });
});

Deno.test("active -> 404 ProjectionNotFound -> active", async () => {
  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("t", "kept")]));
  for (let i = 0; i < 3; i++) assertRejected(await transaction.get("p", "1"), 404, "ProjectionNotFound");
  assertNoContent(await transaction.commit());
  assert.deepEqual(await payloads(), ["kept"]);
});

Deno.test("active -> client closes connection while a call runs, which fails because of it -> ended, rolled back", async () => {
  await assertRolledBack("client", async (transaction) => {
    using call = await transaction.start("POST", "/events", { headers: { "content-length": "100" } });
    await call.send('{"events":[');
  });
});

Deno.test("active -> client closes connection after a call is done -> active", async () => {
  const transaction = await begin(client);
  using _call = await transaction.start("POST", "/events", { json: { events: [event("t", "kept")] } });
  while ((await transaction.read()).events.length === 0);
  _call.close();
  assertNoContent(await transaction.commit());
  assert.deepEqual(await payloads(), ["kept"]);
});

Deno.test("active -> no call for transactionTimeout, or maxTransactionDuration reached -> ended, rolled back", async () => {
  await using quick = await startEditionC({
    SERVICE_TRANSACTION_TIMEOUT: "1",
    SERVICE_MAX_TRANSACTION_DURATION: "2",
  });
  const own = quick.client();
  for (const calling of [false, true]) {
    const transaction = await begin(own);
    sequencesOf(await transaction.append([event("t", "undone")]));
    using next = await WaitingBegin.send(own);
    const successor = next.ticket();
    let over = false;
    void successor.then(() => over = true);
    while (calling && !over) await transaction.get("p", "1");
    assert.deepEqual((await (await successor).read()).events, []);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
    assertNoContent(await (await successor).rollback());
  }
  assert.deepEqual((await ends(own))["expired"], 2);
});

Deno.test("active -> server stops (SIGTERM) -> ended, rolled back", async () => {
  await append(client, event("t", "kept"));
  const transaction = await begin(client);
  expectStatus(await transaction.append([event("t", "undone")]), 200);
  await server.restart();
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assert.deepEqual(await payloads(), ["kept"]);
});

for (const end of ["commit", "rollback"] as const) {
  Deno.test(`ended by ${end} -> any call with the ticket -> 410 TicketNotActive`, async () => {
    const transaction = await begin(client);
    assertNoContent(await transaction[end]());
    const calls = [
      transaction.read().then(({ reply }) => reply),
      transaction.append([]),
      transaction.get("p", "1"),
      transaction.change({}),
      transaction.commit(),
      transaction.rollback(),
    ];
    for (const call of calls) assertRejected(await call, 410, "TicketNotActive");
    // An unknown ticket gets the same answer as an ended one.
    assertRejected(await new Transaction(client, crypto.randomUUID()).commit(), 410, "TicketNotActive");
  });
}
