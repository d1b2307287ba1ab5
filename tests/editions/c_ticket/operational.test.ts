import assert from "node:assert/strict";
import { eventually, pause } from "../../support/eventually.ts";
import { assertNoContent, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import {
  append,
  begin,
  type DebugDocument,
  debugDocument,
  editionC,
  event,
  sequencesOf,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

/* Tests GET /debug and GET /health; the metrics have a file of their own. */

const server = serverOfFile(
  editionC({ SERVICE_TRANSACTION_TIMEOUT: "4", SERVICE_MAX_TRANSACTION_DURATION: "9" }),
);
const client = server.client();

const micros = (timestamp: string): number => Date.parse(timestamp) * 1000 + Number(timestamp.slice(23, 26));

/** The names in a document in order, with the names inside of them. */
function shapeOf(value: unknown): unknown {
  if (typeof value !== "object" || value === null || Array.isArray(value)) return typeof value;
  return Object.fromEntries(Object.entries(value).map(([name, inner]) => [name, shapeOf(inner)]));
}

Deno.test("GET /debug when idle: the documented shape and nothing else", async () => {
  const document = await debugDocument(client);
  assert.match(document.time, TIMESTAMP);
  assert.ok(Math.abs(micros(document.time) / 1000 - Date.now()) < 1000);
  const { time: _, ...rest } = document;
  assert.deepEqual(rest, {
    paused: null,
    write: { active: null, queued: [], httpOpen: 0, sqliteInUse: 0, sqliteMax: 1 },
    read: { httpOpen: 0, waiting: 0, sqliteInUse: 0, sqliteMax: 8 },
  });
});

Deno.test("GET /debug with a transaction: since, age, deadline, ceiling and calls, which move as they should", async () => {
  const transaction = await begin(client);
  const read = async (): Promise<NonNullable<DebugDocument["write"]["active"]>> =>
    (await debugDocument(client)).write.active!;
  const first = await read();
  assert.deepEqual(shapeOf(first), {
    since: "string",
    ageSeconds: "number",
    deadline: "string",
    ceiling: "string",
    calls: "number",
  });
  for (const moment of [first.since, first.deadline, first.ceiling]) assert.match(moment, TIMESTAMP);
  assert.equal(first.calls, 0);
  assert.equal(micros(first.ceiling) - micros(first.since), 9e6);
  assert.equal(micros(first.deadline) - micros(first.since), 4e6);
  await pause(20);
  sequencesOf(await transaction.append([event("t")]));
  const second = await read();
  assert.equal(second.calls, 1);
  assert.ok(second.ageSeconds >= first.ageSeconds + 0.02 && second.ageSeconds < 4);
  assert.ok(micros(second.deadline) >= micros(first.deadline) + 20_000);
  assert.deepEqual([second.since, second.ceiling], [first.since, first.ceiling]);
  assertNoContent(await transaction.rollback());
  assert.equal((await debugDocument(client)).write.active, null);
});

Deno.test("GET /debug with requests that wait: kind, queuedAt and waitSeconds, oldest first; httpOpen counts them and the calls", async () => {
  const transaction = await begin(client);
  using first = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  await pause(50);
  using pausing = await client.begin("POST", "/pause");
  await waitForWaiting(client, 2);
  using call = await transaction.start("POST", "/events", { headers: { "content-length": "13" } });
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, 1));
  const { time, write } = await debugDocument(client);
  assert.deepEqual(write.queued.map(({ kind }) => kind), ["transaction", "pause"]);
  for (const entry of write.queued) {
    assert.deepEqual(shapeOf(entry), { kind: "string", queuedAt: "string", waitSeconds: "number" });
    assert.match(entry.queuedAt, TIMESTAMP);
    assert.ok(Math.abs(micros(time) - micros(entry.queuedAt) - entry.waitSeconds * 1e6) < 20_000);
  }
  assert.ok(write.queued[0]!.waitSeconds >= write.queued[1]!.waitSeconds + 0.05);
  assert.deepEqual([write.httpOpen, write.sqliteInUse], [3, 1]);
  await call.send('{"events":[]}');
  expectStatus(await call.readReply("POST"), 200);
  assert.equal((await debugDocument(client)).write.httpOpen, 2);
  assertNoContent(await transaction.commit());
  assertNoContent(await (await first.ticket()).commit());
  assertNoContent(await pausing.readReply("POST"));
  assertNoContent(await client.request("POST", "/resume"));
});

Deno.test("GET /debug: reads without a ticket are those of read, reads with one are not", async () => {
  const large = Array.from({ length: 100 }, () => event("large", "x".repeat(60_000)));
  await append(client, ...large);
  const transaction = await begin(client);
  using inside = await transaction.start("QUERY", "/events", { json: { query: "*" } });
  await inside.readHead();
  assert.deepEqual((await debugDocument(client)).read, {
    httpOpen: 0,
    waiting: 0,
    sqliteInUse: 0,
    sqliteMax: 8,
  });
  using outside = await client.begin("QUERY", "/events", { json: { query: "*" } });
  await outside.readHead();
  assert.equal((await debugDocument(client)).read.httpOpen, 1);
  outside.close();
  await eventually(async () => assert.equal((await debugDocument(client)).read.httpOpen, 0));
  inside.close();
  await eventually(async () => assert.equal((await debugDocument(client)).write.active, null));
});
