import type { RoundResult } from "./round.ts";

/** What a run has tried. */
export interface Tally {
  failovers: number;
  /** Of which acknowledged writes were lost. */
  lossy: number;
  /** `decide` and transactions that were acknowledged. */
  decisions: number;
  acknowledged: number;
  /** Calls that said that nothing was written, and calls that could not say. */
  failed: number;
  unknown: number;
  pages: number;
  /** So large that they were sent in several parts. */
  largePages: number;
  /** What the proxy did to requests and answers. */
  httpFaults: number;
  /** How often a follower was told of a reset. */
  resetsTold: number;
  /** New store IDs after failovers without loss. */
  resetsWithoutLoss: number;
  /** Operations for which Porcupine has found an order, in edition A. */
  ordered: number;
  /** Until all servers wrote again, in milliseconds. */
  slowestGoOn: number;
  /** The same where the old primary kept connections open and said nothing. */
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

/** After a round in which nothing was found. */
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
