import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import { runServer, serverOfFile } from "../../support/server_process.ts";
import { append, begin, debugDocument, editionC, event, sequencesOf, type Transaction } from "./client.ts";

/*
 * The settings and fixed limits of the document, each at the limit and one above it. The name of the test has the
 * answer for one above. The tests of the state tables check that this ends the transaction.
 */

const server = serverOfFile(editionC({
  SERVICE_MAX_EVENT_SIZE: "1000",
  SERVICE_MAX_PROJECTION_SIZE: "1000",
  SERVICE_MAX_PROJECTIONS_PER_REQUEST: "3",
  SERVICE_DEFAULT_EVENTS_PER_PAGE: "2",
  SERVICE_MAX_EVENTS_PER_PAGE: "4",
  SERVICE_READ_POOL_SIZE: "3",
  SERVICE_MAX_QUEUED_TRANSACTIONS: "1",
  SERVICE_DEV_MODE: "false",
}));
const client = server.client();

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

Deno.test("readPoolSize is the size of the read pool in /debug; the write pool has one connection", async () => {
  const { read, write } = await debugDocument(client);
  assert.deepEqual([read.sqliteMax, write.sqliteMax], [3, 1]);
});

Deno.test("maxTransactionDuration below transactionTimeout stops the start with exit code 2", async () => {
  const env = { SERVICE_TRANSACTION_TIMEOUT: "5", SERVICE_MAX_TRANSACTION_DURATION: "4" };
  const { code, stderr } = await runServer({ listen: "unix", env: { SERVICE_EDITION: "C", ...env } });
  assert.equal(code, 2);
  assert.match(
    stderr,
    /transactionTimeout.*maxTransactionDuration|TRANSACTION_TIMEOUT.*MAX_TRANSACTION_DURATION/,
  );
});
