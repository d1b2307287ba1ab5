import { Histogram, metricText } from "../../core/metrics.ts";
import type { WriteQueue } from "../../core/write_queue.ts";
import type { Verdict } from "../../store/writer.ts";

const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** What `/metrics` counts of `POST /write` since the start. Empty writes take no turn and aren't counted. */
export class WriteMetrics {
  readonly #duration = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly #rejected = { condition: 0, projection: 0 };
  #committed = 0;

  turnEnded(verdict: Verdict, turnSeconds: number): void {
    this.#duration.observe(turnSeconds);
    if (verdict.kind === "committed") this.#committed++;
    if (verdict.kind === "conflict") {
      this.#rejected[verdict.conflict.list === "conditions" ? "condition" : "projection"]++;
    }
  }

  /** The page of `GET /metrics`. */
  text(queue: WriteQueue): string {
    const longestWaitSeconds = Math.max(0, ...queue.queued.map(({ seconds }) => seconds));
    return [
      metricText("service_write_active", "gauge", "1 if a request holds the write turn, else 0.", [
        { value: queue.active === undefined ? 0 : 1 },
      ]),
      metricText("service_requests_queued", "gauge", "Requests waiting for the write turn.", [
        { value: queue.queuedCount },
      ]),
      metricText("service_queue_longest_wait_seconds", "gauge", "Longest current wait for the write turn.", [
        { value: longestWaitSeconds },
      ]),
      metricText("service_writes_committed_total", "counter", "Writes committed since the start.", [
        { value: this.#committed },
      ]),
      metricText("service_writes_rejected_total", "counter", "Writes refused because of a conflict.", [
        { labels: 'reason="condition"', value: this.#rejected.condition },
        { labels: 'reason="projection"', value: this.#rejected.projection },
      ]),
      metricText(
        "service_write_duration_seconds",
        "histogram",
        "How long each write held the turn, however it ended.",
        this.#duration.samples,
      ),
    ].join("");
  }
}
