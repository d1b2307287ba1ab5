import assert from "node:assert/strict";
import { DEPARTURES, LeavingClient } from "../../http/transport/support/departures.ts";
import type { Client } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { makeReadsLong } from "../../support/long_statements.ts";
import { metrics } from "../../support/metrics.ts";
import { assertNoContent } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import {
  append,
  begin,
  debugDocument,
  editionC,
  ends,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

/** Far below transactionTimeout: the next client must not have waited for that timeout. */
const AT_ONCE_SECONDS_MAX = 2;

const server = sharedServer(editionC({}, { listen: "tcp" }));
const client = server.client();

/** Begins a transaction with an event, and asserts that the next client gets the turn as soon as it ends. */
async function assertPassesOn(
  leave: (transaction: Transaction) => Promise<void>,
  expected: (after: Record<string, number>, before: Record<string, number>) => void,
  on: Client = client,
  secondsMax = AT_ONCE_SECONDS_MAX,
): Promise<void> {
  const before = await ends(on);
  const transaction = await begin(on);
  const [sequence] = sequencesOf(await transaction.append([event("mine")]));
  using next = await WaitingBegin.send(on);
  await waitForWaiting(on, 1);
  await leave(transaction);
  const started = performance.now();
  const successor = await next.ticket();
  const seconds = (performance.now() - started) / 1000;
  assert.ok(seconds < secondsMax, `the next ticket came after ${seconds} s`);
  const after = await ends(on);
  expected(after, before);
  const mine = (await successor.read([{ types: ["mine"] }])).events;
  const committed = after["committed"]! > before["committed"]!;
  assert.equal(mine.some((line) => line.sequence === sequence), committed);
  assertNoContent(await successor.rollback());
}

function assertRolledBack(after: Record<string, number>, before: Record<string, number>): void {
  assert.deepEqual(after, { ...before, client: before["client"]! + 1 });
}

function assertEndedOnce(after: Record<string, number>, before: Record<string, number>): void {
  const sum = (counts: Record<string, number>): number => Object.values(counts).reduce((a, b) => a + b);
  assert.equal(sum(after), sum(before) + 1);
  assert.equal(after["expired"], before["expired"]);
  assert.equal(after["error"], before["error"]);
}

async function startedCount(): Promise<number | undefined> {
  return (await metrics(client)).get("service_transactions_started_total");
}

for (const how of DEPARTURES) {
  Deno.test(`leaving by ${how} while waiting for a ticket: out of the FIFO at once, no ticket issued`, async () => {
    const before = await startedCount();
    const active = await begin(client);
    using leaving = await LeavingClient.open(server.address, how);
    await leaving.sendSplit(client.bytesOf("POST", "/begin"), [7]);
    await waitForWaiting(client, 1);
    using staying = await WaitingBegin.send(client);
    await waitForWaiting(client, 2);
    await leaving.leave();
    await waitForWaiting(client, 1);
    assertNoContent(await active.commit());
    assertNoContent(await (await staying.ticket()).commit());
    assert.equal(await startedCount(), before! + 2);
  });

  Deno.test(`leaving by ${how} when the turn has come but no ticket was sent: no ticket, nothing begun`, async () => {
    const [before, endsBefore] = [await startedCount(), await ends(client)];
    using held = holdWriteLock(server);
    using leaving = await LeavingClient.open(server.address, how);
    await leaving.sendSplit(client.bytesOf("POST", "/begin"), []);
    await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 1));
    const { write } = await debugDocument(client);
    assert.deepEqual([write.active, write.queued], [null, []]);
    await leaving.leave();
    await pause(100);
    held.release();
    await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 0), 2);
    assert.deepEqual([await startedCount(), await ends(client)], [before, endsBefore]);
  });

  Deno.test(`leaving by ${how} right after POST /begin was sent: no ticket, or one that is expired; ended once`, async () => {
    await using quick = await startEditionC({ SERVICE_TRANSACTION_TIMEOUT: "1" }, { listen: "tcp" });
    const own = quick.client();
    const [rounds, pauses] = [6, [0, 0, 1, 1, 2, 3]];
    for (let i = 0; i < rounds; i++) {
      using leaving = await LeavingClient.open(quick.address, how);
      // Some clients disconnect before the server has read their request, some when the ticket is being sent.
      const sending = leaving.sendSplit(own.bytesOf("POST", "/begin"), []);
      if (pauses[i]! > 0) await sending.then(() => pause(pauses[i]!));
      await leaving.leave();
      await sending.catch(() => {});
    }
    using next = await WaitingBegin.send(own);
    assertNoContent(await (await next.ticket()).commit());
    const { committed, expired, ...others } = await ends(own);
    assert.deepEqual([committed, others], [1, { client: 0, error: 0, shutdown: 0, reset: 0 }]);
    assert.equal((await metrics(own)).get("service_transactions_started_total"), 1 + expired!);
    const { write } = await debugDocument(own);
    assert.deepEqual([write.active, write.sqliteInUse, write.queued, write.httpOpen], [null, 0, [], 0]);
  });

  Deno.test(`leaving by ${how} in the middle of a body: rolled back, the next one gets its ticket at once`, async () => {
    const json = { events: [event("mine"), event("mine")] };
    await assertPassesOn(async (transaction) => {
      using leaving = await LeavingClient.open(server.address, how);
      await leaving.sendSplit(transaction.bytesOf("POST", "/events", { json }).slice(0, -10), [50]);
      await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
      await leaving.leave();
    }, assertRolledBack);
  });

  Deno.test(`leaving by ${how} while a call waits for another one of its ticket: not run, rolled back`, async () => {
    const json = { events: [event("mine")] };
    await assertPassesOn(async (transaction) => {
      const bytes = transaction.bytesOf("POST", "/events", { json });
      using first = await LeavingClient.open(server.address, "FIN");
      await first.sendSplit(bytes.slice(0, -10), []);
      await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
      using leaving = await LeavingClient.open(server.address, how);
      await leaving.sendSplit(bytes, []);
      await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 3));
      await leaving.leave();
      await first.sendSplit(bytes.slice(-10), []);
    }, assertRolledBack);
  });

  Deno.test(`leaving by ${how} in the middle of a page: rolled back, the next one gets its ticket at once`, async () => {
    for (let i = 0; i < 2; i++) {
      await append(client, ...Array.from({ length: 100 }, () => event("t", "x".repeat(60_000))));
    }
    await assertPassesOn(async (transaction) => {
      const options = { json: { query: "*" } };
      if (how === "half-close") {
        // Such a client may continue reading, but it counts as disconnected: it gets no trailer.
        using connection = await transaction.start("QUERY", "/events", options);
        const head = await connection.readHead();
        await connection.closeWrite();
        await pause(50);
        assert.equal((await connection.readRest(head)).cutShort, true);
      } else {
        using leaving = await LeavingClient.open(server.address, how);
        await leaving.sendSplit(transaction.bytesOf("QUERY", "/events", options), []);
        await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
        await pause(100);
        await leaving.leave();
      }
    }, assertRolledBack);
  });

  for (const end of ["commit", "rollback"] as const) {
    Deno.test(`leaving by ${how} after POST /${end} was sent: done or not, the turn passes on at once`, async () => {
      for (let i = 0; i < rounds(2, 5); i++) {
        await assertPassesOn(async (transaction) => {
          using leaving = await LeavingClient.open(server.address, how);
          // A reset may overtake the request, so that the server never sees it.
          await leaving.sendSplit(transaction.bytesOf("POST", `/${end}`), []);
          if (how === "RST") await pause(50);
          await leaving.leave();
        }, assertEndedOnce);
      }
    });
  }
}

Deno.test("leaving while the database works on a read: its work is finished, then rolled back", async () => {
  // A busy machine may need seconds for the read. The timeouts are a minute, so that they cannot end it.
  const seconds = { SERVICE_TRANSACTION_TIMEOUT: "60", SERVICE_MAX_TRANSACTION_DURATION: "60" };
  await using patient = await startEditionC(seconds, { listen: "tcp" });
  const caller = patient.client();
  makeReadsLong(patient.dataDir, 0.2);
  const leave = async (transaction: Transaction): Promise<void> => {
    using leaving = await transaction.start("QUERY", "/events", { json: { query: "*" } });
    await eventually(async () => assert.equal((await debugDocument(caller)).write.active?.calls, 2));
    leaving.close();
  };
  await assertPassesOn(leave, assertRolledBack, caller, 20);
});

Deno.test("closing the connection on which the ticket came ends nothing", async () => {
  for (const how of ["close", "closeWrite"] as const) {
    using waiting = await WaitingBegin.send(client);
    const transaction = await waiting.ticket();
    await waiting.connection[how]();
    await pause(50);
    sequencesOf(await transaction.append([event("mine")]));
    assertNoContent(await transaction.commit());
  }
  assert.equal((await client.queryEvents()).events.length, 2);
});

Deno.test("a whole transaction over one connection, with requests sent ahead", async () => {
  using waiting = await WaitingBegin.send(client);
  const { connection } = waiting;
  const transaction = await waiting.ticket();
  const append = { json: { events: [event("mine")] } };
  await connection.send(transaction.bytesOf("POST", "/events", append));
  await connection.send(transaction.bytesOf("GET", "/projections/p/1"));
  await connection.send(transaction.bytesOf("POST", "/commit"));
  await connection.send(transaction.bytesOf("POST", "/commit"));
  const statuses: number[] = [];
  for (const method of ["POST", "GET", "POST", "POST"]) {
    statuses.push((await connection.readReply(method)).status);
  }
  assert.deepEqual(statuses, [200, 404, 204, 410]);
});
