import type { Route } from "../../http/router.ts";
import type { WriteQueue } from "../../turns/write_queue.ts";
import { getRoute } from "./get_route.ts";
import { NOT_CACHED } from "./headers.ts";
import { counter, gauge, metricText } from "./metrics.ts";
import type { ReadsInFlight } from "./reads_in_flight.ts";

/**
 * `GET /metrics`: a page in the text exposition format, as scrapers read it. The metrics of the edition, `own`, come
 * first, then those that every edition has.
 */
export function metricsRoute(own: () => string, reads: ReadsInFlight): Route {
  return getRoute("/metrics", () => ({
    status: 200,
    headers: { "Content-Type": "text/plain; version=0.0.4", ...NOT_CACHED },
    body: own() + metricsOfEveryEdition(reads),
  }));
}

function metricsOfEveryEdition(reads: ReadsInFlight): string {
  return gauge("service_reads_waiting", "Reads that wait for an event that matches.", reads.waiting);
}

/** The turn and who waits for it, where each request has a turn of its own. */
export function turnMetrics(queue: WriteQueue): string {
  return [
    gauge(
      "service_write_active",
      "1 if a request holds the write turn, else 0.",
      Number(queue.active !== undefined),
    ),
    gauge("service_requests_queued", "Requests waiting for the write turn.", queue.queuedCount),
    gauge(
      "service_queue_longest_wait_seconds",
      "Longest current wait for the write turn.",
      longestWaitSeconds(queue),
    ),
  ].join("");
}

/** The longest wait among the queued requests; 0 when there are none. */
export function longestWaitSeconds({ queued }: WriteQueue): number {
  return Math.max(0, ...queued.map(({ seconds }) => seconds));
}

/** How writes ended since startup; `rejected` by the part that was in conflict. */
export function writeCounters(
  committed: number,
  rejected: Readonly<Record<"condition" | "projection", number>>,
): string {
  return [
    counter("service_writes_committed_total", "Writes committed since startup.", committed),
    metricText(
      "service_writes_rejected_total",
      "counter",
      "Writes refused because of a conflict.",
      Object.entries(rejected).map(([reason, value]) => ({ labels: `reason="${reason}"`, value })),
    ),
  ].join("");
}
