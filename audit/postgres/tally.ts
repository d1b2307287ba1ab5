import { attemptsIn } from "../history/check_history.ts";
import type { HistoryRecorder } from "../history/record.ts";

export interface Tally {
  rounds: number;
  acknowledged: number;
  rejected: number;
  /** Of which nobody was told what became of them. */
  open: number;
  /** Rounds in which acts were under way when something was disrupted. */
  underWay: number;
  /** Transactions that are known to have been met. */
  inside: number;
  /** Until the other servers had gone on, in milliseconds at most. */
  slowestOthers: number;
  /** The same until all had gone on, from when the cause was mended. */
  slowestAll: number;
}

export function newTally(): Tally {
  return {
    rounds: 0,
    acknowledged: 0,
    rejected: 0,
    open: 0,
    underWay: 0,
    inside: 0,
    slowestOthers: 0,
    slowestAll: 0,
  };
}

/** After a round in which nothing was found. */
export function count(
  tally: Tally,
  { entries }: HistoryRecorder,
  { wasUnderWay, inside }: { readonly wasUnderWay: boolean; readonly inside: number },
): void {
  const attempts = attemptsIn(entries);
  tally.rounds++;
  tally.acknowledged += attempts.filter(({ told }) => told?.fate === "done").length;
  tally.rejected += attempts.filter(({ told }) => told?.fate === "rejected").length;
  tally.open += attempts.filter(({ told }) => told === undefined).length;
  if (wasUnderWay) tally.underWay++;
  tally.inside += inside;
}
