import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import { runServer, type ServerProcess } from "../../support/server_process.ts";
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

/*
 * The settings and fixed limits of the document, each at the limit and one above it. The name of the test has the
 * answer for one above. The tests of the state tables check that this ends the transaction.
 */

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionC({
    SERVICE_MAX_EVENT_SIZE: "1000",
    SERVICE_MAX_PROJECTION_SIZE: "1000",
    SERVICE_MAX_PROJECTIONS_PER_REQUEST: "3",
    SERVICE_DEFAULT_EVENTS_PER_PAGE: "2",
    SERVICE_MAX_EVENTS_PER_PAGE: "4",
    SERVICE_READ_POOL_SIZE: "3",
    SERVICE_MAX_QUEUED_TRANSACTIONS: "1",
    SERVICE_DEV_MODE: "false",
  });
  client = server.client();
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

async function inTransaction<T>(run: (transaction: Transaction) => Promise<T>): Promise<T> {
  const transaction = await begin(client);
  const result = await run(transaction);
  const end = await transaction.rollback();
  assert.ok(end.status === 204 || end.status === 410);
  return result;
}

/** Makes one call in its own transaction, and asserts that it is accepted. */
async function assertAccepted(call: (transaction: Transaction) => Promise<Reply>): Promise<void> {
  await inTransaction(async (transaction) => {
    expectStatus(await call(transaction), 200);
    expectStatus((await transaction.read()).reply, 200);
  });
}

async function assertInvalid(
  message: string | RegExp,
  call: (transaction: Transaction) => Promise<Reply>,
): Promise<void> {
  assertRejected(await inTransaction(call), 400, "InvalidRequest", message);
}

async function assertTooLarge(
  message: string,
  call: (transaction: Transaction) => Promise<Reply>,
): Promise<void> {
  assertRejected(await inTransaction(call), 413, "PayloadTooLarge", message);
}

const times = <T>(count: number, make: (i: number) => T): T[] =>
  Array.from({ length: count }, (_, i) => make(i));

Deno.test("100 events per POST /events, several calls per transaction; 101: 400", async () => {
  const events = times(100, () => event("t"));
  await inTransaction(async (transaction) => {
    for (const first of [1, 101, 201]) {
      assert.deepEqual(sequencesOf(await transaction.append(events)), times(100, (i) => first + i));
    }
  });
  await assertInvalid(
    "request carries 101 events, more than 100",
    (transaction) => transaction.append([...events, event("t")]),
  );
});

Deno.test("the number of events is checked before the events themselves", async () => {
  await assertInvalid(
    "request carries 101 events, more than 100",
    (transaction) => transaction.append(times(101, () => ({}))),
  );
});

Deno.test("maxEventSize: type, tags and payload up to it; one byte more: 413 that names event and setting", async () => {
  const ofSize = (bytes: number): unknown => ({
    type: "t\u00e9",
    identifiers: { name: ["v", "w"] },
    metadata: { "\u0000": "x" },
    payload: "\u0000".repeat(bytes - 15),
  });
  await assertAccepted((transaction) => transaction.append([ofSize(1000), ofSize(1000)]));
  await assertTooLarge(
    "events[1] is 1001 bytes, more than maxEventSize (1000)",
    (transaction) => transaction.append([ofSize(1000), ofSize(1001), {}]),
  );
  await assertInvalid(/^events\[0\]: /, (transaction) => transaction.append([{}, ofSize(1001)]));
});

Deno.test("maxProjectionSize: type, id and payload up to it; one byte more: 413 that names entry and setting", async () => {
  const ofSize = (id: string, bytes: number): unknown => ({
    type: "p",
    id,
    payload: "x".repeat(bytes - 1 - id.length),
  });
  await assertAccepted((transaction) =>
    transaction.change({ create: [ofSize("1", 1000), ofSize("2", 1000)] })
  );
  await assertTooLarge(
    "create[1] is 1001 bytes, more than maxProjectionSize (1000)",
    (transaction) => transaction.change({ create: [ofSize("1", 1000), ofSize("2", 1001)] }),
  );
  const gone = { type: "p", id: "x".repeat(1000), version: "v" };
  await assertTooLarge(
    "delete[0] is 1001 bytes, more than maxProjectionSize (1000)",
    (transaction) => transaction.change({ delete: [gone] }),
  );
});

Deno.test("maxProjectionsPerRequest: the limit counts across the lists, several calls per transaction; one more: 400", async () => {
  const create = (id: number): unknown => ({ type: "p", id: String(id), payload: "" });
  await inTransaction(async (transaction) => {
    const first = expectStatus(await transaction.change({ create: [1, 2, 3].map(create) }), 200);
    const [a, b] = first.json<{ create: { version: string }[] }>().create.map(({ version }) => version);
    const mixed = {
      create: [create(4)],
      replace: [{ type: "p", id: "1", version: a, payload: "" }],
      delete: [{ type: "p", id: "2", version: b }],
    };
    expectStatus(await transaction.change(mixed), 200);
  });
  const message = "request carries 4 projections, more than maxProjectionsPerRequest (3)";
  await assertInvalid(message, (transaction) => transaction.change({ create: [1, 2, 3, 4].map(create) }));
  await assertInvalid(
    message,
    (transaction) => transaction.change({ create: [1, 2].map(create), replace: [{}], delete: [{}] }),
  );
});

Deno.test("20 identifiers and 20 metadata entries per event; 21 of either: 400", async () => {
  const tags = (count: number): Record<string, string[]> => ({ n: times(count, String) });
  const tagged = (identifiers: number, metadata: number): unknown => ({
    type: "t",
    identifiers: tags(identifiers),
    metadata: tags(metadata),
    payload: "",
  });
  await assertAccepted((transaction) => transaction.append([tagged(20, 20)]));
  for (const wrong of [tagged(21, 20), tagged(20, 21)]) {
    await assertInvalid(/^events\[0\]: .*20/, (transaction) => transaction.append([wrong]));
  }
});

Deno.test("100 query items and 100 values per item, in reads and in conditions; 101 of either: 400", async () => {
  const items = (count: number): unknown[] => times(count, (i) => ({ types: [String(i)] }));
  const values = (count: number): unknown[] => [{ types: times(count, String) }];
  const events = [event("t")];
  for (const list of [items, values]) {
    await assertAccepted(async (transaction) => (await transaction.read(list(100))).reply);
    await assertAccepted((transaction) => transaction.append(events, { failIfEventsMatch: list(100) }));
    await assertInvalid(/^query\b.*100/, async (transaction) => (await transaction.read(list(101))).reply);
    await assertInvalid(
      /^condition: failIfEventsMatch\b.*100/,
      (transaction) => transaction.append(events, { failIfEventsMatch: list(101) }),
    );
  }
  const merged = [...items(100), ...items(100)];
  await assertAccepted(async (transaction) => (await transaction.read(merged)).reply);
});

Deno.test("defaultEventsPerPage and maxEventsPerPage, with and without a ticket; a higher limit: 400", async () => {
  await append(client, ...times(5, () => event("t")));
  await inTransaction(async (transaction) => {
    for (const reader of [transaction.read.bind(transaction), client.queryEvents.bind(client)]) {
      for (const [limit, count, hasMore] of [[undefined, 2, true], [4, 4, true], [1, 1, true]] as const) {
        const page = await reader("*", limit === undefined ? {} : { limit });
        assert.deepEqual([page.events.length, page.hasMore], [count, hasMore]);
      }
      const rest = await reader("*", { afterSequence: 1, limit: 4 });
      assert.deepEqual([rest.events.length, rest.hasMore], [4, false]);
    }
  });
  const message = "limit is 5, more than maxEventsPerPage (4)";
  await assertInvalid(message, async (transaction) => (await transaction.read("*", { limit: 5 })).reply);
  assertRejected((await client.queryEvents("*", { limit: 5 })).reply, 400, "InvalidRequest", message);
});

Deno.test("maxQueuedTransactions: this number waits; one more: 503 at once", async () => {
  const active = await begin(client);
  using waiting = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  assertRejected(await client.request("POST", "/begin"), 503, "TransactionQueueFull");
  assertNoContent(await active.commit());
  assertNoContent(await (await waiting.ticket()).commit());
});

Deno.test("readPoolSize is the size of the read pool in /debug; the write pool has one connection", async () => {
  const { read, write } = await debugDocument(client);
  assert.deepEqual([read.sqliteMax, write.sqliteMax], [3, 1]);
});

Deno.test("devMode off: no POST /reset, no profiling, and a valid ticket survives the attempt", async () => {
  await assertAccepted(async (transaction) => {
    assertPlainText(await transaction.call("POST", "/reset"), 404);
    assertPlainText(await transaction.call("GET", "/debug/pprof/"), 404);
    return await transaction.append([event("t")]);
  });
});

const rejected: readonly (readonly [what: string, env: Record<string, string>, named: RegExp])[] = [
  ["maxTransactionDuration below transactionTimeout", {
    SERVICE_TRANSACTION_TIMEOUT: "5",
    SERVICE_MAX_TRANSACTION_DURATION: "4",
  }, /transactionTimeout.*maxTransactionDuration|TRANSACTION_TIMEOUT.*MAX_TRANSACTION_DURATION/],
  ...[
    "TRANSACTION_TIMEOUT",
    "MAX_TRANSACTION_DURATION",
    "MAX_QUEUED_TRANSACTIONS",
    "MAX_PROJECTIONS_PER_REQUEST",
  ]
    .map((name) => [`${name} of 0`, { [`SERVICE_${name}`]: "0" }, new RegExp(name)] as const),
];
for (const [what, env, named] of rejected) {
  Deno.test(`${what} stops the start with exit code 2`, async () => {
    const { code, stderr } = await runServer({ listen: "unix", env: { SERVICE_EDITION: "C", ...env } });
    assert.deepEqual([code, named.test(stderr)], [2, true], stderr);
  });
}
