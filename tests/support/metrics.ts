import type { Client } from "./client.ts";
import { expectStatus } from "./replies.ts";
import { testsPostgres } from "./test_storage.ts";

/** The samples of `GET /metrics`, by name and labels as they are written. */
export async function metrics(client: Client): Promise<ReadonlyMap<string, number>> {
  const { text } = expectStatus(await client.request("GET", "/metrics"), 200);
  const samples = text.split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  return new Map(samples.map((line) => {
    const space = line.lastIndexOf(" ");
    return [line.slice(0, space), Number(line.slice(space + 1))];
  }));
}

/** The samples of the edition: they come before `service_reads_waiting`, where the samples of every edition begin. */
export function ownSamples(samples: ReadonlyMap<string, number>): Map<string, number> {
  const all = [...samples];
  return new Map(all.slice(0, 1 + all.findIndex(([name]) => name === "service_reads_waiting")));
}

/** The types of the metrics of a page, by name and in the order of the page. */
export function metricTypes(page: string): [name: string, type: string][] {
  return [...page.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name!, type!]);
}

/** The families that a store in a file has in addition to those of every store. */
const FILE_TYPES: Readonly<Record<string, string>> = {
  service_store_bytes: "gauge",
  service_store_wal_bytes: "gauge",
  service_disk_free_bytes: "gauge",
  service_disk_size_bytes: "gauge",
};

/** The families of a server with `subjects`, in the order of the page. They come before `service_last_sequence`. */
export const SUBJECT_TYPES: Readonly<Record<string, string>> = {
  service_subjects_forgotten_total: "counter",
  service_last_hashed_sequence: "gauge",
};

/** The families that every edition has in addition to its own, in the order of the page. */
export const COMMON_TYPES: Readonly<Record<string, string>> = {
  service_reads_waiting: "gauge",
  service_reads_active: "gauge",
  service_read_duration_seconds: "histogram",
  service_read_events_total: "counter",
  service_read_bytes_total: "counter",
  service_writes_failed_total: "counter",
  service_writes_grouped_total: "counter",
  service_write_group_size: "histogram",
  service_checkpoints_failed_total: "counter",
  service_last_sequence: "gauge",
  ...testsPostgres() ? {} : FILE_TYPES,
  service_active: "gauge",
  service_activations_total: "counter",
  service_requests_total: "counter",
  service_request_duration_seconds: "histogram",
  service_request_errors_total: "counter",
  service_requests_malformed_total: "counter",
  service_connections_open: "gauge",
  service_connections_refused_total: "counter",
  service_build_info: "gauge",
  process_cpu_seconds_total: "counter",
  process_resident_memory_bytes: "gauge",
  process_start_time_seconds: "gauge",
};
