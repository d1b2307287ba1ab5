import { attemptsIn } from "../history/attempts.ts";
import type { HistoryRecorder } from "../history/record.ts";

export interface Tally {
  rounds: number;
  acknowledged: number;
  rejected: number;
  /** Acts whose clients received no answer. */
  open: number;
  /** Rounds in which acts were under way when the disruption began. */
  underWay: number;
  /** Transactions that were certainly interrupted. */
  inside: number;
  /** The longest time until the other servers continued, in milliseconds. */
  slowestOthers: number;
  /** The longest time until all servers continued, from the repair of the cause. */
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

/** Counts a round without faults. */
export function count(
  tally: Tally,
  { entries }: HistoryRecorder,
  { wasUnderWay, inside }: { readonly wasUnderWay: boolean; readonly inside: number },
): void {
  const attempts = attemptsIn(entries);
  tally.rounds++;
  tally.acknowledged += attempts.filter(({ answer }) => answer?.fate === "done").length;
  tally.rejected += attempts.filter(({ answer }) => answer?.fate === "rejected").length;
  tally.open += attempts.filter(({ answer }) => answer === undefined).length;
  if (wasUnderWay) tally.underWay++;
  tally.inside += inside;
}
