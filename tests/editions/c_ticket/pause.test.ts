import assert from "node:assert/strict";
import { join } from "node:path";
import type { Client } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { metrics } from "../../support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { sqliteTest } from "../../support/test_storage.ts";
import {
  append,
  begin,
  createProjection,
  debugDocument,
  editionC,
  event,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";

const server = sharedServer(editionC({ SERVICE_LOG_LEVEL: "info" }));
const client = server.client();

const pauseCall = (): ReturnType<Client["request"]> => client.request("POST", "/pause");
const resume = (): ReturnType<Client["request"]> => client.request("POST", "/resume");
const pauseFile = (): string => join(server.dataDir, "service.paused");

/** Asserts that every endpoint reports whether the server is paused. @returns the start of the pause */
async function assertPaused(expected: boolean): Promise<string | undefined> {
  const { paused } = await debugDocument(client);
  assert.equal(paused !== null, expected, "/debug");
  const { status, paused: healthPaused } = (await client.request("GET", "/health")).json<
    { status: string; paused: boolean }
  >();
  assert.deepEqual([status, healthPaused], ["ok", expected]);
  assert.equal((await metrics(client)).get("service_paused"), Number(expected));
  if (paused === null) {
    assertNoContent(await (await begin(client)).rollback());
    return undefined;
  }
  assert.deepEqual(Object.keys(paused), ["since"]);
  assert.match(paused.since, TIMESTAMP);
  assertRejected(await client.request("POST", "/begin"), 503, "Paused");
  return paused.since;
}

sqliteTest(
  "the file service.paused exists from the 204 of a pause to the 204 of a resume; its time is paused.since",
  async () => {
    await assertPaused(false);
    assert.throws(() => Deno.statSync(pauseFile()), Deno.errors.NotFound);
    assertNoContent(await pauseCall());
    const { mtime, mode } = Deno.statSync(pauseFile());
    assert.equal((mode ?? 0) & 0o777, 0o600);
    assert.equal(Date.parse((await assertPaused(true))!), mtime!.getTime());
    assertNoContent(await resume());
    assert.throws(() => Deno.statSync(pauseFile()), Deno.errors.NotFound);
    await assertPaused(false);
  },
);

Deno.test("POST /pause while paused: 204 at once, and it is still the same pause", async () => {
  assertNoContent(await pauseCall());
  const since = await assertPaused(true);
  await pause(5);
  assertNoContent(await pauseCall());
  assert.equal(await assertPaused(true), since);
});

Deno.test("POST /resume without a pause: 204 at once, also while a transaction is active", async () => {
  const transaction = await begin(client);
  assertNoContent(await resume());
  assertNoContent(await transaction.rollback());
  await assertPaused(false);
});

for (const end of ["stop", "kill"] as const) {
  Deno.test(`a pause survives a ${end === "stop" ? "restart" : "kill -9"} with its time, and its end does too`, async () => {
    assertNoContent(await pauseCall());
    const since = await assertPaused(true);
    await server[end]();
    await server.start();
    assert.equal(await assertPaused(true), since);
    assertNoContent(await resume());
    await server[end]();
    await server.start();
    await assertPaused(false);
  });
}

sqliteTest(
  "the file is read only at startup: removed by hand it ends no pause, created by hand it begins none",
  async () => {
    assertNoContent(await pauseCall());
    Deno.removeSync(pauseFile());
    await assertPaused(true);
    assertNoContent(await resume());
    await assertPaused(false);
    Deno.writeTextFileSync(pauseFile(), "");
    await assertPaused(false);
    await server.restart();
    await assertPaused(true);
  },
);

sqliteTest("a pause that cannot be kept as a file: 500, not paused, not even after a restart", async () => {
  Deno.mkdirSync(pauseFile());
  assertRejected(await pauseCall(), 500, "InternalError", /pause/);
  await assertPaused(false);
  await server.restart();
  await assertPaused(false);
  assertNoContent(await pauseCall());
  await assertPaused(true);
});

sqliteTest("a resume whose file cannot be removed: 500, still paused", async () => {
  assertNoContent(await pauseCall());
  Deno.removeSync(pauseFile());
  Deno.mkdirSync(join(pauseFile(), "full"), { recursive: true });
  assertRejected(await resume(), 500, "InternalError", /pause/);
  await assertPaused(true);
  Deno.removeSync(pauseFile(), { recursive: true });
  assertNoContent(await resume());
  await assertPaused(false);
});

Deno.test("a pause waits for queued transactions, then 204; every POST /begin 503 Paused", async () => {
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

Deno.test("a waiting pause is in the FIFO as kind pause; requests after it get 503 Paused, those before it a ticket", async () => {
  const active = await begin(client);
  using before = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  const pausing = pauseCall();
  await waitForWaiting(client, 2);
  const again = pauseCall();
  await waitForWaiting(client, 3);
  using behind = await WaitingBegin.send(client);
  await waitForWaiting(client, 4);
  const { write, paused } = await debugDocument(client);
  assert.deepEqual(write.queued.map(({ kind }) => kind), ["transaction", "pause", "pause", "transaction"]);
  assert.equal(paused, null, "not before its turn");
  assertNoContent(await active.commit());
  assertNoContent(await (await before.ticket()).commit());
  assertNoContent(await pausing);
  assertNoContent(await again);
  assertRejected(await behind.reply(), 503, "Paused");
  await assertPaused(true);
});

Deno.test("a waiting pause whose client disconnects is dropped", async () => {
  const active = await begin(client);
  using pausing = await client.begin("POST", "/pause");
  await waitForWaiting(client, 1);
  using behind = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  pausing.close();
  await waitForWaiting(client, 1);
  assertNoContent(await active.commit());
  assertNoContent(await (await behind.ticket()).commit());
  await assertPaused(false);
});

Deno.test("a resume after a waiting pause takes effect after it: a begin after both gets a ticket", async () => {
  const active = await begin(client);
  const pausing = pauseCall();
  await waitForWaiting(client, 1);
  using between = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  const resuming = resume();
  await waitForWaiting(client, 3);
  using behind = await WaitingBegin.send(client);
  await waitForWaiting(client, 4);
  assertNoContent(await active.commit());
  assertNoContent(await pausing);
  assertRejected(await between.reply(), 503, "Paused");
  assertNoContent(await resuming);
  assertNoContent(await (await behind.ticket()).commit());
  await assertPaused(false);
});

Deno.test("a pause after a waiting resume takes effect after it", async () => {
  assertNoContent(await pauseCall());
  using held = holdWriteLock(server);
  const deleting = client.request("DELETE", "/projections");
  await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 1));
  const resuming = resume();
  await waitForWaiting(client, 1);
  const pausing = pauseCall();
  await Promise.race([pausing, waitForWaiting(client, 2)]);
  held.release();
  for (const reply of await Promise.all([deleting, resuming, pausing])) assertNoContent(reply);
  await assertPaused(true);
});

Deno.test("while paused, reads continue, and no ticket is issued", async () => {
  await append(client, event("t", "read"));
  await createProjection(client, "p", "1", "read too");
  assertNoContent(await pauseCall());
  assert.equal((await client.queryEvents()).events[0]?.payload, "read");
  assert.equal((await client.request("GET", "/projections/p/1")).text, "read too");
  await assertPaused(true);
});

Deno.test("pause and resume are logged at level info", async () => {
  assertNoContent(await pauseCall());
  assertNoContent(await resume());
  await eventually(() => {
    assert.match(server.stdout, /: \[INFO\] POST \/pause 204 0B /);
    assert.match(server.stdout, /: \[INFO\] POST \/resume 204 0B /);
  });
});
