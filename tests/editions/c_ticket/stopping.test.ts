import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import type { Client } from "../../support/client.ts";
import { type Connection, NoReply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { LONG_TYPE, makeAppendLong } from "../../support/long_statements.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import {
  append,
  begin,
  debugDocument,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";
import { sideBySide } from "./side_by_side.ts";
import { testsPostgres } from "../../support/test_storage.ts";

/** The files of a store whose server has stopped. */
const FILES = ["events.db", "events.lock"];

/** Waits until the server has seen the third call of the transaction. */
async function thirdCall(client: Client): Promise<void> {
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 3));
}

/** Stops the server in the middle of some work, and asserts that only the committed event survives. */
async function onStopping(
  underWay: (transaction: Transaction, client: Client) => Promise<() => Promise<void>>,
  secondsMax: number,
): Promise<void> {
  await using server = await startEditionC({ SERVICE_TRANSACTION_TIMEOUT: "15" });
  const client = server.client();
  await append(client, event("kept"));
  const transaction = await begin(client);
  assert.deepEqual(sequencesOf(await transaction.append([event("undone")])), [2]);
  expectStatus(await transaction.change({ create: [{ type: "undone", id: "1", payload: "" }] }), 200);
  const afterwards = await underWay(transaction, client);
  const started = performance.now();
  server.signal("SIGTERM");
  const [{ code, stderr }] = await Promise.all([server.ended(), afterwards()]);
  const seconds = (performance.now() - started) / 1000;
  assert.deepEqual([code, stderr], [0, ""]);
  assert.ok(seconds < secondsMax, `the stop took ${seconds} s`);
  if (testsPostgres()) assert.equal(existsSync(server.dataDir), false);
  else assert.deepEqual([...Deno.readDirSync(server.dataDir)].map(({ name }) => name).sort(), FILES);

  await server.start();
  assert.deepEqual((await client.queryEvents()).events.map(({ type }) => type), ["kept"]);
  assert.equal((await client.request("GET", "/projections/undone/1")).status, 404);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assert.equal((await debugDocument(client)).paused, null);
  const next = await begin(client);
  assert.deepEqual(sequencesOf(await next.append([event("kept")])), [2]);
  assertNoContent(await next.commit());
}

sideBySide(
  "SIGTERM: transaction rolled back, waiting begins and pauses 503 ShuttingDown, exit 0 quickly",
  async () => {
    await onStopping(async (_, client) => {
      const first = await WaitingBegin.send(client);
      await waitForWaiting(client, 1);
      const pausing = client.request("POST", "/pause");
      await waitForWaiting(client, 2);
      const second = client.request("POST", "/begin");
      await waitForWaiting(client, 3);
      const replies = [first.reply(), pausing, second];
      return async () => {
        for (const reply of replies) assertRejected(await reply, 503, "ShuttingDown");
        first.connection.close();
      };
    }, 3);
  },
);

sideBySide("SIGTERM during a half-sent body: rolled back after at most 5 s", async () => {
  await onStopping(async (transaction, client) => {
    const call = await transaction.start("POST", "/events", { headers: { "content-length": "100" } });
    await call.send('{"events":[');
    await thirdCall(client);
    return () => assertCut(call);
  }, 9);
});

sideBySide(
  "SIGTERM while the body of a call comes in time: the call is answered, then rolled back",
  async () => {
    await onStopping(async (transaction, client) => {
      const json = { events: [event("undone")] };
      const bytes = transaction.bytesOf("POST", "/events", { json });
      const call = await client.begin("GET", "/health");
      await call.readReply("GET");
      await call.send(bytes.slice(0, -5));
      await thirdCall(client);
      return async () => {
        await delay(300);
        await call.send(bytes.slice(-5));
        assert.deepEqual(sequencesOf(await call.readReply("POST")), [3]);
        call.close();
      };
    }, 3);
  },
);

sideBySide(
  "SIGTERM with a slow reader of a page with a ticket: the page breaks off, rolled back",
  async () => {
    await onStopping(async (transaction) => {
      const large = Array.from({ length: 100 }, () => event("undone", "x".repeat(60_000)));
      sequencesOf(await transaction.append(large));
      sequencesOf(await transaction.append(large));
      const reading = await transaction.start("QUERY", "/events", { json: { query: "*" } });
      const head = await reading.readHead();
      return async () => {
        await delay(6000);
        const page = await reading.readRest(head);
        assert.deepEqual([page.cutShort, page.text.includes("hasMore")], [true, false]);
        reading.close();
      };
    }, 12);
  },
);

sideBySide("SIGTERM while the database works on a call: it is answered, then rolled back", async () => {
  await using server = await startEditionC();
  const client = server.client();
  makeAppendLong(server.dataDir, 0.2);
  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("undone")]));
  const appending = transaction.append([event(LONG_TYPE)]);
  const rejected = assert.rejects(async () => {
    await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
    server.signal("SIGTERM");
    // The server accepts no connections any more.
    await eventually(() => client.request("GET", "/health").then(() => assert.fail("answered")), 1);
  });
  const [appended, { code, stderr }] = await Promise.all([appending, server.ended(), rejected]);
  assert.deepEqual([sequencesOf(appended), code, stderr], [[2], 0, ""]);
  await server.start();
  assert.deepEqual((await client.queryEvents([{ types: ["undone"] }])).events, []);
});

sideBySide("a second SIGTERM ends the server at once; the transaction is lost all the same", async () => {
  await using server = await startEditionC();
  const client = server.client();
  const transaction = await begin(client);
  sequencesOf(await transaction.append([event("undone")]));
  using _call = await transaction.start("POST", "/events", { headers: { "content-length": "100" } });
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 2));
  server.signal("SIGTERM");
  await delay(200);
  server.signal("SIGTERM");
  assert.equal((await server.ended(3)).code, 1);
  await server.start();
  assert.deepEqual((await client.queryEvents()).events, []);
});

/** Asserts that the client gets the end of its transaction as answer, or that its connection ends. */
async function assertCut(call: Connection): Promise<void> {
  try {
    assertRejected(await call.readReply("POST"), 410, "TicketNotActive");
  } catch (error) {
    if (!(error instanceof NoReply)) throw error;
  } finally {
    call.close();
  }
}
