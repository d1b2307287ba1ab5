import type { Reply } from "../../http/exchange.ts";
import { getRoute, type Route } from "../../http/router.ts";
import { counter, gauge, gaugeIfKnown, metricText } from "../../metrics/exposition.ts";
import type { FailureCause, Outcome } from "../../store/api/outcome.ts";
import type { StoreUsage } from "../../store/api/store.ts";
import type { WriteResult } from "../../store/api/write.ts";
import type { TransactionCounts } from "../../store/core/transaction_counts.ts";
import type { WriteTurns } from "../../write_queue/write_queue.ts";
import type { EditionHost } from "../edition.ts";
import { NOT_CACHED } from "./headers.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/** The sources of the metrics that every edition has. */
export type MetricsHost = Pick<EditionHost, "programMetrics" | "hashedEvents"> & {
  readonly settings: Pick<EditionHost["settings"], "subjects">;
  readonly store: Pick<EditionHost["store"], "counts" | "usage" | "feed">;
};

/**
 * `GET /metrics`: a page in the text exposition format for scrapers. The edition's metrics, `own`, come first.
 * Those of every edition follow.
 */
export function metricsRoute(host: MetricsHost, own: () => string, reads: ReadsInFlight): Route {
  return getRoute("operate", "/metrics", async () => {
    // Awaited first, so that all other values are from the same moment.
    const usage = await host.store.usage();
    return metricsReply(own() + metricsOfEveryEdition(host, reads, usage));
  });
}

export function metricsReply(body: string): Reply {
  return { status: 200, headers: { "Content-Type": "text/plain; version=0.0.4", ...NOT_CACHED }, body };
}

function metricsOfEveryEdition(
  { store, settings, programMetrics, hashedEvents }: MetricsHost,
  reads: ReadsInFlight,
  usage: StoreUsage,
): string {
  return [
    gauge("service_reads_waiting", "Reads that wait for an event that matches.", reads.waiting),
    reads.text(),
    transactionCounts(store.counts),
    ...settings.subjects.length > 0
      ? [
        counter(
          "service_subjects_forgotten_total",
          "Subjects whose keys were destroyed.",
          store.counts.subjectsForgotten,
        ),
        gaugeIfKnown(
          "service_last_hashed_sequence",
          "Highest sequence in a complete block of the Merkle tree that is hashed.",
          hashedEvents(),
        ),
      ]
      : [],
    gauge(
      "service_last_sequence",
      "Highest sequence in the store; 0 without events.",
      store.feed.state.head,
    ),
    usageMetrics(usage),
    programMetrics(),
  ].join("");
}

const REASONS: Readonly<Record<FailureCause, string>> = {
  diskFull: "disk_full",
  diskError: "disk_error",
  locked: "locked",
  lostFiles: "lost_files",
  connection: "connection",
  keyLeft: "key_left",
  other: "other",
};

function transactionCounts(
  { failed, writesGrouped, groupSizes, checkpointsFailed }: TransactionCounts,
): string {
  const causes = Object.entries(failed) as [FailureCause, number][];
  return [
    metricText(
      "service_writes_failed_total",
      "counter",
      "Writes that failed by the server's fault, or its disk's.",
      causes.map(([cause, value]) => ({ labels: `reason="${REASONS[cause]}"`, value })),
    ),
    counter(
      "service_writes_grouped_total",
      "Writes that shared their database transaction with others.",
      writesGrouped,
    ),
    metricText(
      "service_write_group_size",
      "histogram",
      "How many writes shared one database transaction.",
      groupSizes.samples(),
    ),
    counter(
      "service_checkpoints_failed_total",
      "Attempts to move what was written into the store's file that failed.",
      checkpointsFailed,
    ),
  ].join("");
}

/** Unknown values are left out. */
function usageMetrics({ storeBytes, walBytes, freeBytes, diskBytes }: StoreUsage): string {
  return [
    gaugeIfKnown("service_store_bytes", "Size of the store's file, without its WAL.", storeBytes),
    gaugeIfKnown("service_store_wal_bytes", "Size of its WAL.", walBytes),
    gaugeIfKnown("service_disk_free_bytes", "What the server may still take of the store's disk.", freeBytes),
    gaugeIfKnown("service_disk_size_bytes", "Size of the store's disk.", diskBytes),
  ].join("");
}

/** The metric of the write lock, and those of the requests that wait for it. */
export function queueMetrics(queue: WriteTurns): string {
  const isActive = Number(queue.active !== undefined);
  return gauge("service_write_active", "1 if a request holds the write lock, else 0.", isActive) +
    waitingMetrics(queue);
}

/** The metrics of the requests that wait for their turn, which have the same names in all editions. */
export function waitingMetrics({ queued, queuedCount }: WriteTurns): string {
  const longestSeconds = Math.max(0, ...queued.map(({ age }) => age.seconds));
  return gauge("service_requests_queued", "Requests waiting for their turn.", queuedCount) +
    gauge("service_queue_longest_wait_seconds", "Longest current wait for a turn.", longestSeconds);
}

/** How writes ended since startup. Conflicts are split by the part that was in conflict. */
export interface WriteCounts {
  committed: number;
  readonly conflicts: Record<"condition" | "projection", number>;
}

export function countWrite(counts: WriteCounts, outcome: Outcome<WriteResult>): void {
  if (outcome.kind !== "done") return;
  if (outcome.value.kind === "written") counts.committed++;
  else if (outcome.value.kind === "conflict") {
    counts.conflicts[outcome.value.conflict.list === "conditions" ? "condition" : "projection"]++;
  }
}

export function writeCounters({ committed, conflicts }: WriteCounts): string {
  return [
    counter("service_writes_committed_total", "Writes committed since startup.", committed),
    metricText(
      "service_writes_rejected_total",
      "counter",
      "Writes rejected because of a conflict.",
      Object.entries(conflicts).map(([reason, value]) => ({ labels: `reason="${reason}"`, value })),
    ),
  ].join("");
}
