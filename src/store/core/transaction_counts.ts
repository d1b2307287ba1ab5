import { Histogram } from "../../metrics/histogram.ts";
import type { FailureCause, Outcome } from "../api/outcome.ts";
import type { AttemptResult, StoreWrite } from "../api/write.ts";
import { RecentConflicts } from "./recent_conflicts.ts";
import { WriteHealth } from "./write_health.ts";

/** The bounds of the histogram: writes in one group. */
const GROUP_BOUNDS = [1, 2, 4, 8, 16, 32, 64, 128, 256];

/** The results of a store's transactions since startup. */
export class TransactionCounts {
  readonly health: WriteHealth = new WriteHealth();
  readonly conflicts: RecentConflicts = new RecentConflicts();
  /** How many writes shared one transaction. */
  readonly groupSizes: Histogram = new Histogram(GROUP_BOUNDS);
  readonly failed: Record<FailureCause, number> = {
    diskFull: 0,
    diskError: 0,
    locked: 0,
    lostFiles: 0,
    connection: 0,
    keyLeft: 0,
    other: 0,
  };
  /** The number of writes that shared a transaction with others. */
  writesGrouped = 0;
  checkpointsFailed = 0;
  subjectsForgotten = 0;

  /** Counts a transaction, or a step of one, if it failed. */
  ended<T>(outcome: Outcome<T>): Outcome<T> {
    if (outcome.kind !== "done") {
      this.failed[outcome.cause ?? "other"]++;
      this.health.failed(outcome);
    }
    return outcome;
  }

  /** Counts a write, whether or not it is committed with it. */
  written(write: StoreWrite, outcome: Outcome<AttemptResult>): Outcome<AttemptResult> {
    if (outcome.kind === "done" && outcome.value.kind === "conflict") {
      this.conflicts.add(write, outcome.value.conflict);
    }
    if (outcome.kind === "done" && outcome.value.kind === "written" && outcome.value.hadKey === true) {
      this.subjectsForgotten++;
    }
    return this.ended(outcome);
  }

  /** Counts a step that commits if it succeeds. */
  committed<T>(outcome: Outcome<T>): Outcome<T> {
    if (outcome.kind === "done") this.health.committed();
    return this.ended(outcome);
  }

  /** Counts a group of writes, however it ends. */
  groupEnded(size: number): void {
    this.groupSizes.observe(size);
    if (size > 1) this.writesGrouped += size;
  }
}
