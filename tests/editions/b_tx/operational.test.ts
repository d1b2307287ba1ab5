import assert from "node:assert/strict";
import { eventually, pause } from "../../support/eventually.ts";
import {
  type DebugSnapshot,
  debugSnapshot,
  holdWriteLock,
  waitForQueue,
} from "../../support/held_write_lock.ts";
import { COMMON_TYPES, metrics, metricTypes, ownSamples } from "../../support/metrics.ts";
import { assertNoContent, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { append, begin, editionB, event, startEditionB, statistics } from "./client.ts";

const WAITING_MAX = 3;

type TxDebugSnapshot = DebugSnapshot & {
  readonly pause: { readonly state: string; readonly since: string };
  readonly transactions: { readonly open: number };
};

const server = serverOfFile(editionB({
  SERVICE_MAX_QUEUED_WRITES: String(WAITING_MAX),
  SERVICE_READ_POOL_SIZE: "2",
}));
const client = server.client();

async function debug(): Promise<TxDebugSnapshot> {
  return await debugSnapshot(client) as TxDebugSnapshot;
}

Deno.test("GET /debug: exact shape when the server is idle", async () => {
  // The refresh at the start is over.
  await eventually(async () => assert.equal((await debug()).write.active, null));
  const snapshot = await debug();
  for (const time of [snapshot.time, snapshot.pause.since]) assert.match(time, TIMESTAMP);
  assert.deepEqual(
    { ...snapshot, time: "", pause: { ...snapshot.pause, since: "" } },
    {
      time: "",
      pause: { state: "normal", since: "" },
      transactions: { open: 0 },
      write: { active: null, queued: [], httpOpen: 0, sqliteInUse: 0, sqliteMax: 1 },
      read: { httpOpen: 0, waiting: 0, sqliteInUse: 0, sqliteMax: 2 },
    } satisfies TxDebugSnapshot,
  );
});

Deno.test("GET /debug: the requests that have the turn or wait, oldest first; POST /optimize is a request like any other", async () => {
  const tx = await begin(client);
  const payload = "a secret payload";
  await tx.decide("none", { type: "secrettype", identifiers: { secretname: "secretvalue" }, payload });
  assert.equal((await debug()).transactions.open, 1);
  const pending: Promise<unknown>[] = [];
  {
    using held = holdWriteLock(server);
    pending.push(client.request("DELETE", "/projections").then(assertNoContent));
    await waitForQueue(client, 0);
    pending.push(tx.commit().then(assertNoContent));
    await waitForQueue(client, 1);
    pending.push(client.request("POST", "/optimize").then(assertNoContent));
    await waitForQueue(client, 2);
    const reply = await client.request("GET", "/debug");
    const { write, transactions } = reply.json<TxDebugSnapshot>();
    assert.deepEqual(Object.keys(write.active ?? {}), ["kind", "since", "ageSeconds"]);
    assert.equal(write.active?.kind, "projections");
    assert.deepEqual(write.queued.map(({ kind }) => kind), ["commit", "optimize"]);
    assert.deepEqual(Object.keys(write.queued[0]!), ["kind", "queuedAt", "waitSeconds"]);
    assert.deepEqual([write.httpOpen, write.sqliteInUse, write.sqliteMax], [3, 1, 1]);
    assert.equal(transactions.open, 1, "a commit that waits is open");
    assert.doesNotMatch(reply.text, /secret/);
    assert.ok(!reply.text.includes(tx.id));
    held.release();
  }
  await Promise.all(pending);
  assert.equal((await debug()).transactions.open, 0);
});

Deno.test("GET /debug: reads are open until their last line is sent, in a transaction and outside", async () => {
  await append(client, ...Array.from({ length: 100 }, () => event("large", "x".repeat(60_000))));
  const tx = await begin(client);
  const json = { query: [{ types: ["large"] }] };
  using outside = await client.begin("QUERY", "/events", { json });
  using inside = await client.begin("QUERY", `/tx/${tx.id}/events`, { json });
  for (const reading of [outside, inside]) await reading.readHead();
  const { httpOpen, waiting } = (await debug()).read;
  assert.deepEqual([httpOpen, waiting], [2, 0]);
  for (const [reading, left] of [[outside, 1], [inside, 0]] as const) {
    reading.close();
    await eventually(async () => assert.equal((await debug()).read.httpOpen, left));
  }
  await eventually(async () => assertNoContent(await tx.abandon()));
  const other = await begin(client);
  expectStatus(await other.get("p", "none"), 404);
  assert.equal((await debug()).read.httpOpen, 0);
  assertNoContent(await other.abandon());
});

Deno.test("the pause and the open transactions, in /debug and in the gauges", async () => {
  const shown = async (): Promise<unknown[]> => {
    const { pause, transactions } = await debug();
    assert.equal(pause.since, (await statistics(client)).pause.since);
    const samples = await metrics(client);
    const gauges = ["service_paused", "service_pause_requested", "service_transactions_open"];
    return [pause.state, transactions.open, ...gauges.map((name) => samples.get(name))];
  };
  const tx = await begin(client);
  assert.deepEqual(await shown(), ["normal", 1, 0, 0, 1]);
  expectStatus(await client.request("POST", "/pause"), 202);
  assert.deepEqual(await shown(), ["pauseRequested", 1, 0, 1, 1]);
  assertNoContent(await tx.abandon());
  expectStatus(await client.request("POST", "/pause"), 200);
  assert.deepEqual(await shown(), ["paused", 0, 1, 0, 0]);
  assertNoContent(await client.request("POST", "/resume"));
  assert.deepEqual(await shown(), ["normal", 0, 0, 0, 0]);
});

Deno.test("GET /metrics: every metric has its name, HELP and TYPE, in order, and all counts start at 0", async () => {
  await using fresh = await startEditionB();
  const reply = expectStatus(await fresh.client().request("GET", "/metrics"), 200);
  assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4");
  assert.deepEqual(
    metricTypes(reply.text),
    Object.entries({
      service_paused: "gauge",
      service_pause_requested: "gauge",
      service_transactions_open: "gauge",
      service_write_active: "gauge",
      service_requests_queued: "gauge",
      service_queue_longest_wait_seconds: "gauge",
      service_writes_committed_total: "counter",
      service_writes_rejected_total: "counter",
      service_queue_full_total: "counter",
      service_transactions_begun_total: "counter",
      service_transactions_committed_total: "counter",
      service_transactions_abandoned_total: "counter",
      service_transactions_expired_total: "counter",
      service_transactions_design_errors_total: "counter",
      service_transactions_busy_total: "counter",
      service_transactions_paused_total: "counter",
      service_internal_errors_total: "counter",
      service_last_optimize_timestamp_seconds: "gauge",
      ...COMMON_TYPES,
    }),
  );
  for (const [name] of metricTypes(reply.text)) {
    assert.match(reply.text, new RegExp(`^# HELP ${name} \\S`, "m"));
  }
  await eventually(async () => {
    const { service_last_optimize_timestamp_seconds: last, ...counts } = Object.fromEntries(
      ownSamples(await metrics(fresh.client())),
    );
    assert.equal(Object.keys(counts).length, 19);
    assert.ok(Math.abs(last! - Date.now() / 1000) < 60);
    assert.deepEqual(new Set(Object.values(counts)), new Set([0]));
  });
});

Deno.test("GET /metrics: the gauges show the held turn, those that wait and the longest wait", async () => {
  const gauges = async (): Promise<(number | undefined)[]> => {
    const samples = await metrics(client);
    return ["write_active", "requests_queued"].map((name) => samples.get(`service_${name}`));
  };
  await eventually(async () => assert.deepEqual(await gauges(), [0, 0]));
  const pending: Promise<unknown>[] = [];
  {
    using _held = holdWriteLock(server);
    pending.push(client.request("DELETE", "/projections"));
    await waitForQueue(client, 0);
    pending.push(client.request("POST", "/optimize"));
    await waitForQueue(client, 1);
    await pause(100);
    assert.deepEqual(await gauges(), [1, 1]);
    const waited = (await metrics(client)).get("service_queue_longest_wait_seconds")!;
    assert.ok(waited >= 0.1, `${waited} s`);
  }
  await Promise.all(pending);
  assert.deepEqual(await gauges(), [0, 0]);
  assert.equal((await metrics(client)).get("service_queue_longest_wait_seconds"), 0);
});
