import { queueMetrics, writeCounters } from "../shared/common_metrics.ts";
import { counter, gauge } from "../../metrics/exposition.ts";
import type { EditionParts } from "./edition_parts.ts";

/** The metrics of this edition: the counts of `GET /stats`, the write lock and the requests that wait for it. */
export function txMetrics({ host, pause, transactions: open, statistics }: EditionParts): string {
  const { writes, transactions, errors, lastOptimizeAtMicros } = statistics;
  return [
    gauge("service_paused", "1 if the store is paused, else 0.", Number(pause.state === "paused")),
    gauge(
      "service_pause_requested",
      "1 if a pause is requested but not in place, else 0.",
      Number(pause.state === "pauseRequested"),
    ),
    gauge("service_transactions_open", "Transactions that are open.", open.count),
    queueMetrics(host.queue),
    writeCounters(writes),
    counter(
      "service_queue_full_total",
      "Requests rejected because too many were waiting.",
      writes.writeQueueFull,
    ),
    counter("service_transactions_begun_total", "Transactions begun since startup.", transactions.begun),
    counter("service_transactions_committed_total", "Transactions committed.", transactions.committed),
    counter(
      "service_transactions_abandoned_total",
      "Transactions that their client abandoned.",
      transactions.abandoned,
    ),
    counter(
      "service_transactions_expired_total",
      "Transactions that ended because no call came in time.",
      transactions.expired,
    ),
    counter(
      "service_transactions_design_errors_total",
      "Transactions ended by a broken rule or a malformed body.",
      transactions.designErrors,
    ),
    counter(
      "service_transactions_busy_total",
      "Calls rejected because another was running on their transaction.",
      transactions.busy,
    ),
    counter(
      "service_transactions_paused_total",
      "Transactions rejected because of a pause.",
      transactions.paused,
    ),
    counter("service_internal_errors_total", "Requests that failed by the server's fault.", errors.internal),
    gauge(
      "service_last_optimize_timestamp_seconds",
      "When the database's statistics were last refreshed, in seconds since 1970.",
      lastOptimizeAtMicros / 1e6,
    ),
  ].join("");
}
