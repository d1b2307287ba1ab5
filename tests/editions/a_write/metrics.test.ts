import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { pause } from "../../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { COMMON_TYPES, metricTypes } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";

const BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
const TYPES = {
  service_write_active: "gauge",
  service_requests_queued: "gauge",
  service_queue_longest_wait_seconds: "gauge",
  service_writes_committed_total: "counter",
  service_writes_rejected_total: "counter",
  service_write_duration_seconds: "histogram",
  // These are not in the document, and therefore follow those that are.
  ...COMMON_TYPES,
};

async function scrape(client: Client): Promise<{ text: string; value: (series: string) => number }> {
  const reply = await client.request("GET", "/metrics");
  assert.equal(reply.status, 200);
  assert.match(reply.headers.get("content-type") ?? "", /^text\/plain; version=0\.0\.4/);
  const series = new Map<string, number>();
  for (const line of reply.text.split("\n")) {
    const [, name, value] = /^([a-z_]+(?:\{[^}]*\})?) (\S+)$/.exec(line) ?? [];
    if (name !== undefined) series.set(name, Number(value));
  }
  return {
    text: reply.text,
    value: (name) => {
      const value = series.get(name);
      assert.notEqual(value, undefined, `no series ${name} in\n${reply.text}`);
      return value ?? NaN;
    },
  };
}

/** Returns the upper bound and the count of each bucket. */
function buckets(text: string): [number, number][] {
  const lines = text.matchAll(/^service_write_duration_seconds_bucket\{le="([^"]+)"\} (\d+)$/gm);
  return [...lines].map(([, le, count]) => [le === "+Inf" ? Infinity : Number(le), Number(count)]);
}

Deno.test("GET /metrics: every metric has its name, HELP and TYPE, in order, and all start at 0", async () => {
  await using server = await startServer({ listen: "unix" });
  const { text, value } = await scrape(server.client());
  for (const name of Object.keys(TYPES)) assert.match(text, new RegExp(`^# HELP ${name} \\S`, "m"));
  assert.deepEqual(metricTypes(text), Object.entries(TYPES));
  assert.equal(value("service_write_active"), 0);
  assert.equal(value("service_requests_queued"), 0);
  assert.equal(value("service_queue_longest_wait_seconds"), 0);
  assert.equal(value("service_writes_committed_total"), 0);
  assert.equal(value("service_reads_waiting"), 0);
  assert.equal(value('service_writes_rejected_total{reason="condition"}'), 0);
  assert.equal(value('service_writes_rejected_total{reason="projection"}'), 0);
  assert.equal(value("service_write_duration_seconds_count"), 0);
  assert.equal(value("service_write_duration_seconds_sum"), 0);
  assert.deepEqual(buckets(text), [...BUCKETS, Infinity].map((le) => [le, 0]));
  assert.ok(text.endsWith("\n"));
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

  const { text, value } = await scrape(client);
  assert.equal(value("service_writes_committed_total"), 3);
  assert.equal(value('service_writes_rejected_total{reason="condition"}'), 2);
  assert.equal(value('service_writes_rejected_total{reason="projection"}'), 1);
  assert.equal(value("service_write_duration_seconds_count"), 6);
  assert.ok(value("service_write_duration_seconds_sum") > 0);
  const counts = buckets(text).map(([, count]) => count);
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
  assert.equal(during.value("service_write_active"), 1);
  assert.equal(during.value("service_requests_queued"), 1);
  const wait = during.value("service_queue_longest_wait_seconds");
  assert.ok(wait >= 0.3 && wait < 5, `waits ${wait} s`);
  held.release();
  await Promise.all([active, deleting]);
  const after = await scrape(client);
  assert.equal(after.value("service_write_active"), 0);
  assert.equal(after.value("service_requests_queued"), 0);
  assert.equal(after.value("service_queue_longest_wait_seconds"), 0);
  assert.equal(after.value('service_write_duration_seconds_bucket{le="0.25"}'), 0);
  assert.equal(after.value('service_write_duration_seconds_bucket{le="5"}'), 1);
  assert.ok(after.value("service_write_duration_seconds_sum") >= 0.3);
});
