import type { Outcome } from "../../store/outcome.ts";
import type { WriteResult } from "../../store/write.ts";
import type { WriteQueue } from "../../turns/write_queue.ts";
import { conflictingPart } from "../shared/conflicts.ts";
import { counter, gauge, Histogram, longestWaitSeconds, metricText } from "../shared/metrics.ts";

const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What `/metrics` counts of `POST /write` since startup. Empty writes take no turn and are not counted. */
export class WriteMetrics {
  readonly #duration = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly #rejected = { condition: 0, projection: 0 };
  #committed = 0;

  turnEnded(outcome: Outcome<WriteResult>, turnSeconds: number): void {
    this.#duration.observe(turnSeconds);
    if (outcome.kind !== "done") return;
    if (outcome.value.kind === "written") this.#committed++;
    else this.#rejected[conflictingPart(outcome.value.conflict)]++;
  }

  /** The page of `GET /metrics`. */
  text(queue: WriteQueue): string {
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
      counter("service_writes_committed_total", "Writes committed since startup.", this.#committed),
      metricText(
        "service_writes_rejected_total",
        "counter",
        "Writes refused because of a conflict.",
        Object.entries(this.#rejected).map(([reason, value]) => ({ labels: `reason="${reason}"`, value })),
      ),
      metricText(
        "service_write_duration_seconds",
        "histogram",
        "How long each write held the turn, however it ended.",
        this.#duration.samples,
      ),
    ].join("");
  }
}
