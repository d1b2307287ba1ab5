import type { WriteTurns } from "../../write_queue/write_queue.ts";
import { waitingMetrics } from "../shared/common_metrics.ts";
import { counter, gauge, metricText } from "../../metrics/exposition.ts";
import { Histogram } from "../../metrics/histogram.ts";
import type { RollbackReason } from "./ticket_transaction.ts";

const DURATION_BOUNDS_SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 15, 30];

/** Counts transactions since startup for `/metrics`. */
export class TransactionMetrics {
  readonly #duration = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly #rolledBack: Record<RollbackReason, number> = {
    client: 0,
    error: 0,
    expired: 0,
    shutdown: 0,
    reset: 0,
  };
  #started = 0;
  #committed = 0;
  #appendsFailed = 0;

  transactionStarted(): void {
    this.#started++;
  }

  transactionEnded(end: "committed" | RollbackReason, seconds: number): void {
    this.#duration.observe(seconds);
    if (end === "committed") this.#committed++;
    else this.#rolledBack[end]++;
  }

  appendFailed(): void {
    this.#appendsFailed++;
  }

  text(queue: WriteTurns, { paused, active }: { paused: boolean; active: boolean }): string {
    const rolledBack = Object.entries(this.#rolledBack);
    return [
      gauge("service_paused", "1 if the store is paused, else 0.", Number(paused)),
      gauge("service_transaction_active", "1 if a transaction is active, else 0.", Number(active)),
      waitingMetrics(queue),
      counter("service_transactions_started_total", "Tickets given out since startup.", this.#started),
      counter("service_transactions_committed_total", "Transactions committed.", this.#committed),
      metricText(
        "service_transactions_rolled_back_total",
        "counter",
        "Transactions rolled back, by reason.",
        rolledBack.map(([reason, value]) => ({ labels: `reason="${reason}"`, value })),
      ),
      metricText(
        "service_transaction_duration_seconds",
        "histogram",
        "How long each transaction lasted from its ticket to its end.",
        this.#duration.samples(),
      ),
      counter("service_appends_failed_total", "Appends whose condition did not hold.", this.#appendsFailed),
    ].join("");
  }
}
