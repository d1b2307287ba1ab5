import type { Outcome } from "../../store/api/outcome.ts";
import type { WriteResult } from "../../store/api/write.ts";
import type { WriteTurns } from "../../write_queue/write_queue.ts";
import { countWrite, queueMetrics, writeCounters } from "../shared/common_metrics.ts";
import { metricText } from "../../metrics/exposition.ts";
import { Histogram } from "../../metrics/histogram.ts";

const DURATION_BOUNDS_SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/**
 * Counts the `POST /write` since startup for `/metrics`. Empty writes need no write transaction and are not
 * counted.
 */
export class WriteMetrics {
  readonly #duration = new Histogram(DURATION_BOUNDS_SECONDS);
  readonly #counts = { committed: 0, conflicts: { condition: 0, projection: 0 } };

  turnEnded(outcome: Outcome<WriteResult>, lockSeconds: number): void {
    this.#duration.observe(lockSeconds);
    countWrite(this.#counts, outcome);
  }

  text(queue: WriteTurns): string {
    return [
      queueMetrics(queue),
      writeCounters(this.#counts),
      metricText(
        "service_write_duration_seconds",
        "histogram",
        "How long each write held the turn, however it ended.",
        this.#duration.samples(),
      ),
    ].join("");
  }
}
