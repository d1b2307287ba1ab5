import { formatTimestamp } from "../../model/timestamp.ts";
import type { Pause } from "./pause.ts";

/** The counts since startup that `GET /stats` reports, with the keys of its document. */
export class Statistics {
  readonly startedAtMicros: number;
  lastOptimizeAtMicros: number;
  /** Commits that wrote, and writes of projections outside a transaction. */
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
