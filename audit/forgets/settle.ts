import type { Client } from "../../tests/support/client.ts";
import { isGone } from "../../tests/server/acknowledged_writes.ts";
import { type Attempt, attemptsIn } from "../history/attempts.ts";
import type { HistoryRecorder } from "../history/record.ts";
import type { FoundEvent } from "../history/wire_event.ts";
import { AuditFailure } from "../report.ts";
import { endingOf, forgetRequest } from "../workload/endings.ts";
import { verdictOn } from "./check_subjects.ts";

/** Counts of requests to forget. */
export interface ForgetTally {
  rounds: number;
  /** Acknowledged ones. */
  forgotten: number;
  /** Those without an answer whose key was destroyed, and those whose key was not. */
  destroyed: number;
  spared: number;
}

export function newForgetTally(): ForgetTally {
  return { rounds: 0, forgotten: 0, destroyed: 0, spared: 0 };
}

/** The requests to forget, with the answers that are known by now. */
export function forgetsIn({ entries }: HistoryRecorder): Attempt[] {
  return attemptsIn(entries).filter(({ act }) => act.kind === "forget");
}

/**
 * Compares all events of a store with the answers. From then on, what had no answer counts as done or rejected.
 * @returns the acts without an answer that happened
 * @throws AuditFailure
 */
export function settle(
  recorder: HistoryRecorder,
  found: readonly FoundEvent[],
  where: string,
): ReadonlySet<number> {
  const attempts = attemptsIn(recorder.entries);
  const { happened, faults } = verdictOn(attempts, found);
  if (faults.length > 0) throw new AuditFailure(where, faults);
  const open = attempts.filter(({ answer }) => answer === undefined);
  for (const attempt of open) {
    const fate = happened.includes(attempt) ? "done" : "rejected";
    recorder.recordAnswer({ id: attempt.id, fate, status: 0 });
  }
  return new Set(open.filter((attempt) => happened.includes(attempt)).map(({ id }) => id));
}

/**
 * Counts the requests of a round.
 * @param forgets as they were answered by the server
 * @param happened the acts without an answer that happened
 */
export function countForgets(
  tally: ForgetTally,
  forgets: readonly Attempt[],
  happened: ReadonlySet<number>,
): void {
  tally.rounds++;
  for (const { id, answer } of forgets) {
    if (answer?.fate === "done") tally.forgotten++;
    else if (answer === undefined) tally[happened.has(id) ? "destroyed" : "spared"]++;
  }
}

/** Repeats a request to forget, without its events. @returns whether it was acknowledged, or false without an answer */
export async function repeatForget(
  recorder: HistoryRecorder,
  client: Client,
  subject: string,
): Promise<boolean> {
  const act = { kind: "forget", subject, events: [] } as const;
  const { id } = recorder.intend(subject, () => act);
  try {
    const ending = endingOf(await client.request("POST", "/forget", { json: forgetRequest(act) }));
    recorder.recordAnswer({ id, ...ending });
    return ending.fate === "done";
  } catch (error) {
    if (isGone(error)) return false;
    throw error;
  }
}
