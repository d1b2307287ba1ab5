import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import type { Client } from "../../support/client.ts";
import { psql } from "../../support/psql.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { schemaOf, testsPostgres } from "../../support/test_storage.ts";
import {
  begin,
  createProjection,
  debugDocument,
  event,
  startEditionC,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

/*
 * The two state tables of the document, row by row: who gets a ticket. The name of a test is the row: state, trigger,
 * condition, next state. Other files test the details of a row.
 */

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionC({ SERVICE_MAX_QUEUED_TRANSACTIONS: "2", SERVICE_MAX_EVENT_SIZE: "1000" });
  client = server.client();
});
Deno.test.beforeEach(async () => {
  assertNoContent(await client.request("POST", "/resume"));
  assertNoContent(await client.request("POST", "/reset"));
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

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

Deno.test("waiting -> turn arrives, server paused -> (none), 503 Paused", async () => {
  const active = await begin(client);
  const pausing = client.request("POST", "/pause");
  await waitForWaiting(client, 1);
  using waiting = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  assertNoContent(await active.commit());
  assertNoContent(await pausing);
  assertRejected(await waiting.reply(), 503, "Paused");
});

Deno.test("waiting -> client closes connection -> (none): leaves the FIFO", async () => {
  const active = await begin(client);
  using leaving = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  using staying = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  leaving.connection.close();
  await waitForWaiting(client, 1);
  assertNoContent(await active.commit());
  assertNoContent(await (await staying.ticket()).commit());
});

Deno.test("(none) -> POST /begin, FIFO at maxQueuedTransactions -> (none), 503 TransactionQueueFull at once", async () => {
  const active = await begin(client);
  using first = await WaitingBegin.send(client);
  using second = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  assertRejected(await client.request("POST", "/begin"), 503, "TransactionQueueFull");
  assertRejected(await client.request("POST", "/pause"), 503, "TransactionQueueFull");
  assert.equal((await debugDocument(client)).write.queued.length, 2);
  assertNoContent(await active.commit());
  for (const waiting of [first, second]) assertNoContent(await (await waiting.ticket()).commit());
});

Deno.test("running -> POST /pause -> paused: waits for queued transactions, then 204; every POST /begin 503 Paused", async () => {
  const active = await begin(client);
  using queued = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  let paused = false;
  const pausing = client.request("POST", "/pause").finally(() => paused = true);
  await waitForWaiting(client, 2);
  assertNoContent(await active.commit());
  const earlier = await queued.ticket();
  expectStatus(await earlier.append([event("t", "kept")]), 200);
  assert.equal(paused, false);
  assertNoContent(await earlier.commit());
  assertNoContent(await pausing);
  assert.deepEqual((await client.queryEvents()).events.map(({ payload }) => payload), ["kept"]);
  for (let i = 0; i < 3; i++) assertRejected(await client.request("POST", "/begin"), 503, "Paused");
});

Deno.test("paused -> POST /resume -> running: tickets are issued again", async () => {
  assertNoContent(await client.request("POST", "/pause"));
  assertRejected(await client.request("POST", "/begin"), 503, "Paused");
  assertNoContent(await client.request("POST", "/resume"));
  await createProjection(client, "p", "1");
});

Deno.test("paused -> server restart, pause file present -> paused", async () => {
  assertNoContent(await client.request("POST", "/pause"));
  await server.restart();
  assertRejected(await client.request("POST", "/begin"), 503, "Paused");
  assert.notEqual((await debugDocument(client)).paused, null);
});
