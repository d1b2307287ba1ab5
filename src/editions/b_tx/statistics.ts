import { formatTimestamp } from "../../model/timestamp.ts";
import type { Verdict } from "../../store/writer.ts";
import type { Pause } from "./pause.ts";

/** What `GET /stats` counts, since the start. The keys are those of the document. */
export class Statistics {
  readonly startedAtMicros: number;
  lastOptimizeAtMicros: number;
  readonly writes = { committed: 0, conflicts: { condition: 0, projection: 0 }, writeQueueFull: 0 };
  readonly transactions = {
    begun: 0,
    committed: 0,
    abandoned: 0,
    expired: 0,
    designErrors: 0,
    busy: 0,
    paused: 0,
  };
  readonly errors = { internal: 0 };

  constructor(startedAtMicros: number) {
    this.startedAtMicros = startedAtMicros;
    this.lastOptimizeAtMicros = startedAtMicros;
  }

  /** Counts what came of a commit that wrote, or of projections written outside a transaction. */
  writeEnded(verdict: Verdict): void {
    if (verdict.kind === "committed") this.writes.committed++;
    if (verdict.kind === "conflict") {
      this.writes.conflicts[verdict.conflict.list === "conditions" ? "condition" : "projection"]++;
    }
  }

  /** The statistics document. */
  document(pause: Pause, openTransactions: number): unknown {
    const { writes, transactions, errors } = this;
    return {
      startedAt: formatTimestamp(this.startedAtMicros),
      lastOptimizeAt: formatTimestamp(this.lastOptimizeAtMicros),
      writes,
      transactions,
      pause: { state: pause.state, since: formatTimestamp(pause.sinceMicros), openTransactions },
      errors,
    };
  }
}
