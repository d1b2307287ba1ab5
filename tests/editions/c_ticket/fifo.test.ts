import assert from "node:assert/strict";
import { LeavingClient } from "../../http/transport/support/departures.ts";
import type { Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { metrics } from "../../support/metrics.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import {
  begin,
  ends,
  event,
  startEditionC,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

const WAITING_MAX = 100;
const ROUNDS = rounds(40, 1000);
const LEAVERS = Math.floor(WAITING_MAX / 3);

/** Deadlines so long that none expires: if a disconnected client got a ticket, the test would not end. */
const ENV = { SERVICE_TRANSACTION_TIMEOUT: "50", SERVICE_MAX_TRANSACTION_DURATION: "50" };

type Place = { readonly stays: WaitingBegin } | { readonly leaves: LeavingClient };

/** Fills the queue one by one, so that the order is certain. A random third of the clients will disconnect. */
async function fillQueue(server: ServerProcess): Promise<Place[]> {
  const client = server.client();
  const ranks = Array.from({ length: WAITING_MAX }, () => Math.random());
  const leaverRankMax = ranks.toSorted((a, b) => a - b)[LEAVERS - 1]!;
  const places: Place[] = [];
  for (const [i, rank] of ranks.entries()) {
    if (rank > leaverRankMax) {
      places.push({ stays: await WaitingBegin.send(client) });
    } else {
      const leaves = await LeavingClient.open(server.address, i % 2 === 0 ? "FIN" : "RST");
      await leaves.sendSplit(client.bytesOf("POST", "/begin"), []);
      places.push({ leaves });
    }
    await waitForWaiting(client, i + 1);
  }
  return places;
}

/** Asserts that one request too many, of any kind, is rejected at once while the others keep waiting. */
async function assertFull(client: Client): Promise<void> {
  const startedAt = performance.now();
  for (const path of ["/begin", "/pause"]) {
    assertRejected(await client.request("POST", path), 503, "TransactionQueueFull");
  }
  assert.ok(performance.now() - startedAt < 1000, "rejected at once");
  await waitForWaiting(client, WAITING_MAX);
}

/** Writes the name of the client in its transaction, and commits. */
async function takeTurn(transaction: Transaction, name: string): Promise<void> {
  expectStatus(await transaction.append([event("turn", name)]), 200);
  expectStatus(await transaction.commit(), 204);
}

for (const listen of ["tcp", "unix"] as const) {
  Deno.test(`${listen}: a third of ${WAITING_MAX} waiting clients disconnects; the others get tickets in arrival order`, async () => {
    await using server = await startEditionC(ENV, { listen, listenOnly: true });
    const client = server.client();
    const holder = await begin(client);
    const places = await fillQueue(server);
    await assertFull(client);

    for (const place of places) if ("leaves" in place) await place.leaves.leave();
    await waitForWaiting(client, WAITING_MAX - LEAVERS);
    // The disconnected clients freed slots in the queue. A new request joins at its end.
    const last = await WaitingBegin.send(client);
    await waitForWaiting(client, WAITING_MAX - LEAVERS + 1);

    const staying = [...places.flatMap((place) => "stays" in place ? [place.stays] : []), last];
    const turns = staying.map(async (waiting, i) => takeTurn(await waiting.ticket(), String(i)));
    await takeTurn(holder, "holder");
    await Promise.all(turns);

    const names = (await client.allEvents()).map(({ payload }) => payload);
    assert.deepEqual(names, ["holder", ...staying.map((_, i) => String(i))]);
    const started = (await metrics(client)).get("service_transactions_started_total");
    assert.equal(started, staying.length + 1, "a ticket for each that stayed");
    const { committed, ...rolledBack } = await ends(client);
    assert.equal(committed, started);
    assert.deepEqual(Object.values(rolledBack).filter((count) => count > 0), []);
    for (const waiting of staying) waiting[Symbol.dispose]();
  });

  Deno.test(`${listen}: a client that disconnects just before its turn comes is passed over, ${ROUNDS} times`, async () => {
    await using server = await startEditionC(ENV, { listen, listenOnly: true });
    const client = server.client();
    let holder = await begin(client);
    for (let round = 0; round < ROUNDS; round++) {
      using leaver = await LeavingClient.open(server.address, round % 2 === 0 ? "FIN" : "RST");
      await leaver.sendSplit(client.bytesOf("POST", "/begin"), []);
      await waitForWaiting(client, 1);
      using next = await WaitingBegin.send(client);
      await waitForWaiting(client, 2);
      using ending = await Connection.open(server.address);
      const end = holder.bytesOf("POST", round % 4 < 2 ? "/commit" : "/rollback");
      await ending.send(end.subarray(0, -1));
      // Both reach the server at the same moment, in this order.
      await leaver.leave();
      await ending.send(end.subarray(-1));
      expectStatus(await ending.readReply("POST"), 204);
      holder = await next.ticket();
    }
    expectStatus(await holder.commit(), 204);
    const counts = await ends(client);
    assert.deepEqual(counts, { ...counts, committed: ROUNDS / 2 + 1, client: ROUNDS / 2, expired: 0 });
  });
}
