import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { pause } from "../../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { COMMON_TYPES, metrics, metricTypes, ownSamples } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TYPES = {
  service_write_active: "gauge",
  service_requests_queued: "gauge",
  service_queue_longest_wait_seconds: "gauge",
  service_writes_committed_total: "counter",
  service_writes_rejected_total: "counter",
  service_write_duration_seconds: "histogram",
  // The specification does not name these, so they follow those that it names.
  ...COMMON_TYPES,
};

type Value = (series: string) => number;

async function scrape(client: Client): Promise<Value> {
  const samples = await metrics(client);
  return (series) => samples.get(series) ?? assert.fail(`no series ${series}`);
}

/** Returns the counts of the buckets. */
function buckets(value: Value): number[] {
  return [...BUCKETS, "+Inf"].map((le) => value(`service_write_duration_seconds_bucket{le="${le}"}`));
}

Deno.test("GET /metrics: every metric has its name, HELP and TYPE, in order, and all start at 0", async () => {
  await using server = await startServer({ listen: "unix" });
  const { text, headers } = await server.client().request("GET", "/metrics");
  assert.match(headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  for (const name of Object.keys(TYPES)) assert.match(text, new RegExp(`^# HELP ${name} \\S`, "m"));
  assert.deepEqual(metricTypes(text), Object.entries(TYPES));
  assert.ok(text.endsWith("\n"));
  const own = ownSamples(await metrics(server.client()));
  assert.deepEqual([own.size, new Set(own.values())], [9 + BUCKETS.length + 1, new Set([0])]);
  const reasons = ["condition", "projection"].map((reason) =>
    own.get(`service_writes_rejected_total{reason="${reason}"}`)
  );
  assert.deepEqual([...reasons, buckets((series) => own.get(series)!).at(-1)], [0, 0, 0]);
});

Deno.test("GET /metrics: commits, both reasons of rejection and the duration of each turn are counted", async () => {
  await using server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  const event = { type: "t", identifiers: {}, payload: "" };
  const create = [{ type: "t", id: "a", payload: "" }];
  const store = crypto.randomUUID();
  await client.append(event);
  await client.write({ projections: { create } });
  await client.write({ conditions: [{}] });
  await client.write({ conditions: [{ failIfEventsMatch: "*" }] });
  await client.write({ conditions: [{ failIfEventsMatch: "*", afterSequence: 1, store }] });
  await client.write({ projections: { create } });
  // These requests are not counted: they have no turn, or a turn of another kind.
  await client.write({});
  await client.write({ events: [{}] });
  await client.request("DELETE", "/projections");
  await client.request("POST", "/reset");

  const value = await scrape(client);
  assert.equal(value("service_writes_committed_total"), 3);
  assert.equal(value('service_writes_rejected_total{reason="condition"}'), 2);
  assert.equal(value('service_writes_rejected_total{reason="projection"}'), 1);
  assert.equal(value("service_write_duration_seconds_count"), 6);
  assert.ok(value("service_write_duration_seconds_sum") > 0);
  const counts = buckets(value);
  assert.deepEqual(counts, counts.toSorted((a, b) => a - b), "buckets are cumulative");
  assert.equal(counts.at(-1), 6);
});

Deno.test("GET /metrics: gauges show the held turn and the queue, and the histogram how long it was held", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  using held = holdWriteLock(server);
  const event = { type: "t", identifiers: {}, payload: "" };
  const active = client.append(event);
  await waitForQueue(client, 0);
  const deleting = client.request("DELETE", "/projections");
  await waitForQueue(client, 1);
  await pause(300);
  const during = await scrape(client);
  assert.equal(during("service_write_active"), 1);
  assert.equal(during("service_requests_queued"), 1);
  const wait = during("service_queue_longest_wait_seconds");
  assert.ok(wait >= 0.3 && wait < 5, `waits ${wait} s`);
  held.release();
  await Promise.all([active, deleting]);
  const after = await scrape(client);
  assert.equal(after("service_write_active"), 0);
  assert.equal(after("service_requests_queued"), 0);
  assert.equal(after("service_queue_longest_wait_seconds"), 0);
  assert.equal(after('service_write_duration_seconds_bucket{le="0.25"}'), 0);
  assert.equal(after('service_write_duration_seconds_bucket{le="5"}'), 1);
  assert.ok(after("service_write_duration_seconds_sum") >= 0.3);
});
