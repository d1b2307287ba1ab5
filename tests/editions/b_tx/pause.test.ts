import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import {
  append,
  begin,
  createProjection,
  editionB,
  event,
  startEditionB,
  statistics,
  type StatisticsDocument,
  txLines,
} from "./client.ts";

const server = sharedServer(editionB());
const client = server.client();

const pauseCall = (): ReturnType<Client["request"]> => client.request("POST", "/pause");
const resume = (): ReturnType<Client["request"]> => client.request("POST", "/resume");

async function assertState(state: string, openTransactions = 0): Promise<StatisticsDocument["pause"]> {
  const { pause } = await statistics(client);
  assert.deepEqual([pause.state, pause.openTransactions], [state, openTransactions]);
  assert.match(pause.since, TIMESTAMP);
  const health = await client.request("GET", "/health");
  const { status, paused, version, ...others } = health.json<Record<string, unknown>>();
  assert.deepEqual([health.status, status, paused, others], [200, "ok", state === "paused", {}]);
  assert.equal(typeof version, "string");
  return pause;
}

/** Asserts that a pause is in place and reports this last sequence. */
async function assertInPlace(lastSequence: number): Promise<void> {
  const reply = await pauseCall();
  assert.deepEqual(expectStatus(reply, 200).json(), { lastSequence });
  assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  assert.equal(reply.headers.get("x-service-store"), (await client.queryEvents("none")).store);
  await assertState("paused");
}

Deno.test("normal -> POST /pause, transactions open -> pause requested, 202; they continue to their commit", async () => {
  const [a, b] = [await begin(client), await begin(client)];
  const normal = await assertState("normal", 2);
  const reply = await pauseCall();
  assert.deepEqual(expectStatus(reply, 202).json(), { openTransactions: 2 });
  assert.equal(reply.headers.has("x-service-store"), false);
  const requested = await assertState("pauseRequested", 2);
  assert.ok(requested.since > normal.since);
  assertRejected(await client.request("POST", "/tx"), 503, "Paused");
  await a.decide("all", event("t", "committed"));
  assertNoContent(await a.commit());
  txLines(await b.read("all"));

  // pause requested -> POST /pause, still open transactions -> pause requested
  assert.deepEqual(expectStatus(await pauseCall(), 202).json(), { openTransactions: 1 });
  assert.equal((await assertState("pauseRequested", 1)).since, requested.since);
  assertNoContent(await b.abandon());

  // pause requested, none open: the next POST /pause puts it in place
  await assertState("pauseRequested");
  await assertInPlace(1);
  assertNoContent(await resume());
});

Deno.test("normal -> POST /pause, no transaction open -> pause in place, 200 {lastSequence} and store header", async () => {
  await assertInPlace(0);
  assertNoContent(await resume());
  await append(client, event("t"), event("t"));
  await assertInPlace(2);
  const since = (await assertState("paused")).since;
  await assertInPlace(2);
  assert.equal((await assertState("paused")).since, since, "a repeated call changes nothing");
  assertNoContent(await resume());
});

Deno.test("while paused, reads, projection writes and /optimize continue", async () => {
  await append(client, event("t", "read"));
  await assertInPlace(1);
  assert.equal((await client.queryEvents("all")).events[0]?.payload, "read");
  const version = await createProjection(client, "p", "1", "written");
  const read = await client.request("GET", "/projections/p/1");
  assert.deepEqual([read.text, read.headers.get("x-service-version")], ["written", version]);
  assertNoContent(await client.request("DELETE", "/projections/p"));
  assertNoContent(await client.request("DELETE", "/projections"));
  assertNoContent(await client.request("POST", "/optimize"));
  await assertInPlace(1);
  assertNoContent(await resume());
});

Deno.test("a transaction whose commit is waiting is still open", async () => {
  const tx = await begin(client);
  await tx.decide("all", event("t"));
  using held = holdWriteLock(server);
  using _active = await client.begin("POST", "/optimize");
  await pause(50);
  const pausing = pauseCall();
  await pause(50);
  using commit = await client.begin("POST", `/tx/${tx.id}/commit`);
  await eventually(async () => assertRejected(await tx.get("p", "1"), 409, "TransactionBusy", /./));
  held.release();
  assert.deepEqual(expectStatus(await pausing, 202).json(), { openTransactions: 1 });
  assertNoContent(await commit.readReply("POST"));
  await assertInPlace(1);
  assertNoContent(await resume());
});

Deno.test("POST /reset in a pause: 204, the store is empty, sequences from 1, a new store ID, the pause stays", async () => {
  await append(client, event("t"));
  await createProjection(client, "p", "1");
  const { store } = await client.queryEvents("all");
  await assertInPlace(1);
  const { since } = await assertState("paused");
  const reply = await client.request("POST", "/reset");
  assertNoContent(reply);
  assert.equal(reply.headers.has("x-service-store"), false);
  assert.equal((await assertState("paused")).since, since);
  await assertInPlace(0);
  const page = await client.queryEvents("all");
  assert.deepEqual(page.events, []);
  assert.notEqual(page.store, store);
  assert.equal((await client.request("GET", "/projections/p/1")).status, 404);
  await server.restart();
  assert.equal((await assertState("paused")).since, since, "of the pause, after reset and restart");
  assert.equal((await client.queryEvents("all")).store, page.store);
  assertNoContent(await resume());
  await append(client, event("t"));
  assert.equal((await client.queryEvents("all")).events[0]?.sequence, 1);
});

Deno.test("pause in place -> restart, and kill -9 -> pause in place, same since; a resume survives too", async () => {
  await append(client, event("t"));
  await assertInPlace(1);
  const { since } = await assertState("paused");
  await server.restart();
  assert.equal((await assertState("paused")).since, since);
  assertRejected(await client.request("POST", "/tx"), 503, "Paused");
  await server.kill();
  await server.start();
  assert.equal((await assertState("paused")).since, since);
  await assertInPlace(1);
  assert.equal((await assertState("paused")).since, since);
  assertNoContent(await resume());
  await server.kill();
  await server.start();
  await assertState("normal");
  await append(client, event("t"));
});

Deno.test("pause requested -> restart -> normal; so are its open transactions", async () => {
  for (const end of [() => server.stop(), () => server.kill()]) {
    const tx = await begin(client);
    await tx.decide("all", event("lost"));
    expectStatus(await pauseCall(), 202);
    await end();
    await server.start();
    await assertState("normal");
    assertRejected(await tx.commit(), 404, "TransactionNotFound");
    assertNoContent(await tx.abandon());
  }
  assert.deepEqual((await client.queryEvents([{ types: ["lost"] }])).events, []);
});

Deno.test("an expired transaction no longer keeps a pause from being put in place", async () => {
  await using quick = await startEditionB({ SERVICE_TX_IDLE_TIMEOUT: "1" });
  const own = quick.client();
  await begin(own);
  expectStatus(await own.request("POST", "/pause"), 202);
  await eventually(async () => void expectStatus(await own.request("POST", "/pause"), 200));
});

Deno.test("pause and resume are logged at level info", async () => {
  await using logging = await startEditionB({ SERVICE_LOG_LEVEL: "info" });
  const own = logging.client();
  expectStatus(await own.request("POST", "/pause"), 200);
  assertNoContent(await own.request("POST", "/resume"));
  assertNoContent(await own.request("POST", "/optimize"));
  await eventually(() => {
    assert.match(logging.stdout, /: \[INFO\] POST \/pause 200 \d+B /);
    assert.match(logging.stdout, /: \[INFO\] POST \/resume 204 0B /);
  });
  assert.doesNotMatch(logging.stdout, /optimize/);
});
