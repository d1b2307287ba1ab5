import assert from "node:assert/strict";
import { eventually, pause } from "../../support/eventually.ts";
import { COMMON_TYPES, metrics, metricTypes, ownSamples } from "../../support/metrics.ts";
import { assertNoContent, expectStatus } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { append, begin, editionC, event, startEditionC, waitForWaiting, WaitingBegin } from "./client.ts";

const server = serverOfFile(
  editionC({ SERVICE_TRANSACTION_TIMEOUT: "4", SERVICE_MAX_TRANSACTION_DURATION: "9" }),
);
const client = server.client();

Deno.test("GET /metrics: every name, and each way to end counted once in a scenario", async () => {
  await using own = await startEditionC({
    SERVICE_TRANSACTION_TIMEOUT: "2",
    SERVICE_MAX_TRANSACTION_DURATION: "4",
  });
  const caller = own.client();
  const fresh = ownSamples(await metrics(caller));
  const buckets = [
    "0.005",
    "0.01",
    "0.025",
    "0.05",
    "0.1",
    "0.25",
    "0.5",
    "1",
    "2.5",
    "5",
    "10",
    "15",
    "30",
    "+Inf",
  ];
  const duration = "service_transaction_duration_seconds";
  const reasons = ["client", "error", "expired", "shutdown", "reset"];
  const reasonName = (reason: string): string => `service_transactions_rolled_back_total{reason="${reason}"}`;
  assert.deepEqual(
    [...fresh.keys()].toSorted(),
    [
      "service_paused",
      "service_transaction_active",
      "service_requests_queued",
      "service_queue_longest_wait_seconds",
      "service_transactions_started_total",
      "service_transactions_committed_total",
      ...reasons.map(reasonName),
      ...buckets.map((le) => `${duration}_bucket{le="${le}"}`),
      `${duration}_sum`,
      `${duration}_count`,
      "service_appends_failed_total",
      "service_reads_waiting",
    ].toSorted(),
  );
  assert.deepEqual(new Set(fresh.values()), new Set([0]));

  await append(caller, event("t"));
  assertNoContent(await (await begin(caller)).rollback());
  assert.equal((await (await begin(caller)).append([{}])).status, 400);
  assert.equal((await (await begin(caller)).append([event("t")], { failIfEventsMatch: "*" })).status, 409);
  const changes = { delete: [{ type: "p", id: "1", version: "v" }] };
  assert.equal((await (await begin(caller)).change(changes)).status, 409);
  await begin(caller);
  assertNoContent(await caller.request("POST", "/reset"));
  await begin(caller);
  assertNoContent(await (await begin(caller)).commit());

  const after = await metrics(caller);
  const counts = { client: 1, error: 3, expired: 1, shutdown: 0, reset: 1 };
  assert.deepEqual(
    Object.fromEntries(reasons.map((reason) => [reason, after.get(reasonName(reason))])),
    counts,
  );
  assert.equal(after.get("service_transactions_started_total"), 8);
  assert.equal(after.get("service_transactions_committed_total"), 2);
  assert.equal(after.get("service_appends_failed_total"), 1, "a projection conflict is no failed append");
  assert.equal(after.get(`${duration}_count`), 8);
  const within = buckets.map((le) => after.get(`${duration}_bucket{le="${le}"}`)!);
  assert.deepEqual(within, within.toSorted((a, b) => a - b));
  assert.ok(within[7]! <= 7, "the expired one lasted longer than 1 s");
  assert.equal(within.at(-1), 8);
  const seconds = after.get(`${duration}_sum`)!;
  assert.ok(seconds > 2 && seconds < 10, `${seconds} s`);
});

Deno.test("GET /metrics: a rollback by shutdown is counted too, as a request that was already under way sees", async () => {
  await using own = await startEditionC();
  const caller = own.client();
  await begin(caller);
  // The body of the request is not complete, so a stop lets it finish.
  const headers = { "content-length": "1", expect: "100-continue" };
  using asking = await caller.begin("GET", "/metrics", { headers });
  assert.equal((await asking.readHead()).status, 100);
  own.signal("SIGTERM");
  await eventually(() => caller.request("GET", "/health").then(() => assert.fail("accepts"), () => {}));
  await pause(100);
  await asking.send(" ");
  const { text } = expectStatus(await asking.readReply("GET"), 200);
  assert.match(text, /^service_transactions_rolled_back_total\{reason="shutdown"\} 1$/m);
  assert.match(text, /^service_transaction_active 0$/m);
  assert.equal((await own.ended()).code, 0);
});

Deno.test("GET /metrics has HELP and TYPE lines and its content type; the metrics of the document come first", async () => {
  const reply = expectStatus(await client.request("GET", "/metrics"), 200);
  assert.equal(reply.headers.get("content-type"), "text/plain; version=0.0.4");
  const types = metricTypes(reply.text);
  assert.deepEqual(
    types.map(([name]) => name),
    [...reply.text.matchAll(/^# HELP (\S+) \S/gm)].map((m) => m[1]),
  );
  assert.deepEqual(
    types,
    Object.entries({
      service_paused: "gauge",
      service_transaction_active: "gauge",
      service_requests_queued: "gauge",
      service_queue_longest_wait_seconds: "gauge",
      service_transactions_started_total: "counter",
      service_transactions_committed_total: "counter",
      service_transactions_rolled_back_total: "counter",
      service_transaction_duration_seconds: "histogram",
      service_appends_failed_total: "counter",
      ...COMMON_TYPES,
    }),
  );
});

Deno.test("the gauges show the active transaction, those that wait and the longest wait", async () => {
  const gauges = async (): Promise<(number | undefined)[]> => {
    const samples = await metrics(client);
    return ["transaction_active", "requests_queued"].map((name) => samples.get(`service_${name}`));
  };
  assert.deepEqual(await gauges(), [0, 0]);
  const transaction = await begin(client);
  assert.deepEqual(await gauges(), [1, 0]);
  using first = await WaitingBegin.send(client);
  await waitForWaiting(client, 1);
  await pause(100);
  using second = await WaitingBegin.send(client);
  await waitForWaiting(client, 2);
  assert.deepEqual(await gauges(), [1, 2]);
  const waited = (await metrics(client)).get("service_queue_longest_wait_seconds")!;
  assert.ok(waited >= 0.1 && waited < 4, `${waited} s`);
  assertNoContent(await transaction.commit());
  for (const waiting of [first, second]) assertNoContent(await (await waiting.ticket()).commit());
  assert.deepEqual(await gauges(), [0, 0]);
  assert.equal((await metrics(client)).get("service_queue_longest_wait_seconds"), 0);
});
