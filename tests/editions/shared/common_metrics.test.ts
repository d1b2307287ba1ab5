import assert from "node:assert/strict";
import type { RoutedRequest } from "../../../src/http/router.ts";
import { type MetricsHost, metricsRoute } from "../../../src/editions/shared/common_metrics.ts";
import { ReadsInFlight } from "../../../src/editions/shared/reads_in_flight.ts";
import { TransactionCounts } from "../../../src/store/core/transaction_counts.ts";
import { EMPTY_WRITE } from "../../../src/store/api/write.ts";
import type { StoreUsage } from "../../../src/store/api/store.ts";

function hostWith(usage: StoreUsage = {}, subjects: readonly string[] = []): MetricsHost {
  const feed = { state: { storeId: "", head: 7 } } as MetricsHost["store"]["feed"];
  const store = { counts: new TransactionCounts(), usage: () => Promise.resolve(usage), feed };
  const hashedEvents = (): number => 5;
  return { store, settings: { subjects }, programMetrics: () => "program 1\n", hashedEvents };
}

async function page(host: MetricsHost, reads = new ReadsInFlight({ subscriptions: 0 })): Promise<string> {
  return (await metricsRoute(host, () => "own 1\n", reads).handle({} as RoutedRequest)).body as string;
}

function assertShows(text: string, ...lines: readonly string[]): void {
  for (const line of lines) assert.ok(text.split("\n").includes(line), `no ${line} in\n${text}`);
}

Deno.test("the page of metrics names its format, and is not cached", async () => {
  const route = metricsRoute(hostWith(), () => "", new ReadsInFlight({ subscriptions: 0 }));
  const { status, headers } = await route.handle({} as RoutedRequest);
  assert.equal(status, 200);
  assert.deepEqual(headers, { "Content-Type": "text/plain; version=0.0.4", "Cache-Control": "no-store" });
});

Deno.test("the metrics of an edition come first, then the common ones: first the waiting reads, last the program", async () => {
  const reads = new ReadsInFlight({ subscriptions: 3 });
  using _other = reads.begin("events");
  const text = await page(hostWith(), reads);
  const waiting = "# HELP service_reads_waiting Reads that wait for an event that matches.\n" +
    "# TYPE service_reads_waiting gauge\nservice_reads_waiting 3\n";
  assert.ok(text.startsWith(`own 1\n${waiting}`), text);
  assert.ok(text.endsWith("program 1\n"), text);
  assertShows(text, "service_last_sequence 7");
});

Deno.test("the time for which a read waits for an event is no part of its duration", async () => {
  const reads = new ReadsInFlight({ subscriptions: 0 });
  {
    using read = reads.begin("events");
    read.wait();
    const until = performance.now() + 30;
    while (performance.now() < until);
    read.wait();
    read.go();
    read.go();
  }
  const sum = /^service_read_duration_seconds_sum\{kind="events"\} (\S+)$/m.exec(
    await page(hostWith(), reads),
  );
  assert.ok(Number(sum?.[1]) < 0.03, `${sum?.[1]} s`);
});

Deno.test("turns that failed are counted by their cause, and groups by their size", async () => {
  const host = hostWith();
  const { counts } = host.store;
  for (const cause of ["diskFull", "diskError", "locked", "lostFiles", "connection", "keyLeft"] as const) {
    counts.ended({ kind: "failed", reason: "", cause });
  }
  counts.ended({ kind: "unknown", reason: "" });
  counts.ended({ kind: "done", value: undefined });
  for (const size of [1, 1, 3]) counts.groupEnded(size);
  counts.checkpointsFailed++;
  assertShows(
    await page(host),
    ...["disk_full", "disk_error", "locked", "lost_files", "connection", "key_left", "other"].map((
      reason,
    ) => `service_writes_failed_total{reason="${reason}"} 1`),
    'service_write_group_size_bucket{le="1"} 2',
    'service_write_group_size_bucket{le="4"} 3',
    "service_write_group_size_sum 5",
    "service_writes_grouped_total 3",
    "service_checkpoints_failed_total 1",
  );
});

Deno.test("subjects whose keys were destroyed are counted, where there are subjects", async () => {
  const host = hostWith({}, ["student"]);
  const versions = { create: [], replace: [] };
  const forget = { name: "student", value: "s1" };
  const written = { kind: "written", storeId: "", firstSequence: 1, versions } as const;
  for (const hadKey of [true, false, undefined]) {
    const value = hadKey === undefined ? written : { ...written, hadKey };
    host.store.counts.written({ ...EMPTY_WRITE, forget }, { kind: "done", value });
  }
  host.store.counts.written({ ...EMPTY_WRITE, forget }, { kind: "done", value: { kind: "unknownSubject" } });
  assertShows(await page(host), "service_subjects_forgotten_total 1", "service_last_hashed_sequence 5");
  assert.doesNotMatch(await page(hostWith()), /subject|hashed/);
});

Deno.test("unknown values of the disk are left out, HELP and TYPE included", async () => {
  const known = await page(hostWith({ storeBytes: 4096, walBytes: 0, freeBytes: 5, diskBytes: 10 }));
  assertShows(
    known,
    "service_store_bytes 4096",
    "service_store_wal_bytes 0",
    "service_disk_free_bytes 5",
    "service_disk_size_bytes 10",
  );
  const unknown = await page(hostWith({ storeBytes: 4096, walBytes: undefined }));
  assertShows(unknown, "service_store_bytes 4096");
  assert.doesNotMatch(unknown, /wal|disk_free|disk_size/);
});
