import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import {
  append,
  begin,
  debugDocument,
  editionC,
  ends,
  event,
  sequencesOf,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

const server = sharedServer(editionC({ SERVICE_MAX_QUEUED_TRANSACTIONS: "2" }));
const client = server.client();

const reset = (): ReturnType<Client["request"]> => client.request("POST", "/reset");

Deno.test("a reset cuts off the active transaction: 410 afterwards, counted as reset, and the turn is free", async () => {
  const before = await ends(client);
  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("undone")]));
  assertNoContent(await reset());
  assertRejected(await transaction.append([event("undone")]), 410, "TicketNotActive");
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assert.deepEqual(await ends(client), { ...before, reset: before["reset"]! + 1 });
  const { write } = await debugDocument(client);
  assert.deepEqual([write.active, write.sqliteInUse], [null, 0]);
  await append(client, event("kept"));
  assert.deepEqual((await client.queryEvents()).events.map(({ sequence }) => sequence), [1]);
});

Deno.test("waiting requests keep their order: begins get their tickets, on the new store, and a pause its turn", async () => {
  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("undone")]));
  using waiting = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  const pausing = client.request("POST", "/pause");
  await waitForWaiting(client, 2);
  const before = await client.storeId();
  // The FIFO is full, but a reset does not join the FIFO.
  assertNoContent(await reset());
  const next: Transaction = await waiting.ticket();
  const page = await next.read();
  assert.deepEqual(page.events, []);
  assert.notEqual(page.store, before);
  assertNoContent(await next.commit());
  assertNoContent(await pausing);
  assertNoContent(await reset());
  assert.notEqual((await debugDocument(client)).paused, null, "a pause in place stays");
});

Deno.test("a reset waits for the call that runs right now, which is answered", async () => {
  await append(client, event("old"));
  const transaction = await begin(client);
  const json = { events: [event("undone")] };
  const bytes = transaction.bytesOf("POST", "/events", { json });
  using call = await client.begin("GET", "/health");
  await call.readReply("GET");
  await call.send(bytes.slice(0, -5));
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 1));
  const order: string[] = [];
  const resetting = reset().finally(() => order.push("reset"));
  const later = transaction.append([event("undone")]).finally(() => order.push("later"));
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
  await pause(50);
  assert.deepEqual(order, []);
  await call.send(bytes.slice(-5));
  assert.deepEqual(sequencesOf(await call.readReply("POST")), [2]);
  assertNoContent(await resetting);
  // This call came before the reset, but had not run yet.
  assertRejected(await later, 410, "TicketNotActive");
  assert.deepEqual((await client.queryEvents()).events, []);
});

Deno.test("two resets at once, and one while a ticket is being issued: each 204, nothing is stuck", async () => {
  const transaction = await begin(client);
  const both = await Promise.all([reset(), reset()]);
  for (const reply of both) assertNoContent(reply);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  using held = holdWriteLock(server);
  using waiting = await WaitingBegin.send(client);
  await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 1));
  const resetting = reset();
  await pause(20);
  held.release();
  assertNoContent(await resetting);
  const cut = await waiting.ticket();
  assertRejected(await cut.commit(), 410, "TicketNotActive");
  await append(client, event("kept"));
});

Deno.test("a commit, a rollback, a bad call and a reset at once: the transaction ends exactly once", async () => {
  const before = await ends(client);
  const rounds = 60;
  for (let i = 0; i < rounds; i++) {
    const transaction = await begin(client);
    const calls = [transaction.commit(), transaction.rollback(), transaction.append([{}]), reset()];
    const replies = await Promise.all([...calls.slice(i % 4), ...calls.slice(0, i % 4)]);
    const ended = replies.filter(({ status }) => status === 204 || status === 400).length;
    assert.ok(ended === 1 || ended === 2, "the reset is always done, and at most one of the others");
  }
  const after = Object.entries(await ends(client));
  assert.equal(after.reduce((sum, [end, count]) => sum + count - before[end]!, 0), rounds);
  const { write } = await debugDocument(client);
  assert.deepEqual([write.active, write.queued, write.httpOpen, write.sqliteInUse], [null, [], 0, 0]);
});

Deno.test("a committed page that is being read ends without a trailer", async () => {
  const large = Array.from({ length: 100 }, () => event("t", "x".repeat(60_000)));
  for (let i = 0; i < 2; i++) await append(client, ...large);
  using reading = await client.begin("QUERY", "/events", { json: { query: "*" } });
  const head = await reading.readHead();
  assertNoContent(await reset());
  const page = await reading.readRest(head);
  assert.deepEqual([page.cutShort, page.text.includes("hasMore")], [true, false]);
});
