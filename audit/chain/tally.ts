import type { RoundResult } from "./round.ts";

/** The counts of a run. */
export interface Tally {
  failovers: number;
  /** Failovers in which acknowledged writes were lost. */
  lossy: number;
  /** Acknowledged calls of `decide` and acknowledged transactions. */
  decisions: number;
  acknowledged: number;
  /** Calls that reported that nothing was written, and calls that could not say. */
  failed: number;
  unknown: number;
  pages: number;
  /** Pages that were so large that they were sent in several parts. */
  largePages: number;
  /** The faults that the proxy injected. */
  httpFaults: number;
  /** How often a follower was notified of a reset. */
  resetsTold: number;
  /** New store IDs after failovers without loss. */
  resetsWithoutLoss: number;
  /** Operations for which Porcupine has found an order, in edition A. */
  ordered: number;
  /** The longest time until all servers accepted writes again, in milliseconds. */
  slowestGoOn: number;
  /** The same when the old primary kept connections open and sent nothing. */
  slowestAfterSilence: number;
}

const EVENTS_OF_A_LARGE_PAGE = 2000;

export function newTally(): Tally {
  return {
    failovers: 0,
    lossy: 0,
    decisions: 0,
    acknowledged: 0,
    failed: 0,
    unknown: 0,
    pages: 0,
    largePages: 0,
    httpFaults: 0,
    resetsTold: 0,
    resetsWithoutLoss: 0,
    ordered: 0,
    slowestGoOn: 0,
    slowestAfterSilence: 0,
  };
}

/** Counts a round without faults. */
export function addRound(tally: Tally, { evidence, goOn, isSilent }: RoundResult): void {
  const { observations, before, after, failover, followers } = evidence;
  const { calls, pages } = observations;
  const of = (kind: string): number => calls.filter(({ outcome }) => outcome.kind === kind).length;
  const isNew = before.storeId !== after.storeId;
  tally.failovers++;
  if (failover.isLossy) tally.lossy++;
  tally.decisions +=
    calls.filter(({ operation, outcome }) =>
      (operation === "decide" || operation === "transact") &&
      (outcome.kind === "done" || outcome.kind === "declined")
    ).length;
  tally.acknowledged += of("done");
  tally.failed += of("failed");
  tally.unknown += of("unknown");
  tally.pages += pages.length;
  tally.largePages += pages.filter(({ events }) => events.length >= EVENTS_OF_A_LARGE_PAGE).length;
  if (isNew) {
    tally.resetsTold += followers.filter(({ segments }) =>
      segments.length > 1 && segments.at(-1)!.isReported
    ).length;
  }
  if (isNew && !failover.isLossy) tally.resetsWithoutLoss++;
  const slowest = isSilent ? "slowestAfterSilence" : "slowestGoOn";
  tally[slowest] = Math.max(tally[slowest], Math.round(goOn));
}
