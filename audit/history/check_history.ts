import { faultsOfEvents, type Happened } from "./check_events.ts";
import { faultsOfProjections } from "./check_projections.ts";
import type { StoreContent } from "./store_content.ts";
import { type Attempt, attemptsIn } from "./attempts.ts";
import type { Entry } from "./record.ts";

/** The maximum number of faults listed for one explanation; one is enough. */
const FAULTS_MAX = 10;

/**
 * Compares the content of a store with the answers that its clients received. Each acknowledged act is present, byte
 * for byte. Each rejected act is absent. Each of the others is present as a whole or not at all.
 *
 * @param before the content of the store before these entries
 * @returns the faults, in words; empty when there are none
 */
export function faultsOf(before: StoreContent, entries: readonly Entry[], found: StoreContent): string[] {
  const attempts = attemptsIn(entries);
  const explanations = lastResets(attempts).map((last) => faultsAfter(last, before, attempts, found));
  if (explanations.some((faults) => faults.length === 0)) return [];
  return explanations.flatMap((faults) => faults.slice(0, FAULTS_MAX));
}

/**
 * Returns the resets that may be the last one carried out; undefined stands for no reset. Every unanswered reset after
 * the last answered one may be it. While a client resets, no other client may have an act under way.
 */
function lastResets(attempts: readonly Attempt[]): (Attempt | undefined)[] {
  const resets = attempts.filter(({ act, answer }) => act.kind === "reset" && answer?.fate !== "rejected");
  const done = resets.findLastIndex(({ answer }) => answer !== undefined);
  return [resets[done], ...resets.slice(done + 1)];
}

/** Returns the faults under the assumption that this reset was the last one. */
function faultsAfter(
  reset: Attempt | undefined,
  before: StoreContent,
  attempts: readonly Attempt[],
  found: StoreContent,
): string[] {
  const since = reset === undefined ? attempts : attempts.slice(attempts.indexOf(reset) + 1);
  const base = reset === undefined ? before : { ...before, events: [], projections: [] };
  const happened: Happened = new Map();
  return [
    ...found.faults,
    ...faultsOfIdentity(before, attempts, reset, found),
    ...faultsOfEvents(base, since, found, happened),
    ...faultsOfProjections(base, since, found, happened),
    ...faultsOfPause(before, attempts, found),
  ];
}

function faultsOfIdentity(
  before: StoreContent,
  attempts: readonly Attempt[],
  reset: Attempt | undefined,
  found: StoreContent,
): string[] {
  const faults: string[] = [];
  const seen = new Set([before.storeId]);
  let known = before.storeId;
  for (const { id, act, answer } of attempts) {
    if (act.kind !== "reset" || answer?.storeId === undefined) continue;
    known = answer.storeId;
    if (seen.has(known)) faults.push(`the store ID is the one of before reset ${id}`);
    seen.add(known);
  }
  const isNew = reset !== undefined && reset.answer?.storeId === undefined;
  if (!isNew && found.storeId !== known) faults.push(`the store ID changed, ${known} to ${found.storeId}`);
  if (isNew && seen.has(found.storeId)) faults.push(`the store ID is the one of before reset ${reset.id}`);
  return faults;
}

function faultsOfPause(before: StoreContent, attempts: readonly Attempt[], found: StoreContent): string[] {
  let expected: boolean | undefined = before.isPaused;
  for (const { act, answer } of attempts) {
    if ((act.kind !== "pause" && act.kind !== "resume") || answer?.fate === "rejected") continue;
    const isPaused = act.kind === "pause";
    expected = answer === undefined && expected !== isPaused ? undefined : isPaused;
  }
  return expected === undefined || expected === found.isPaused
    ? []
    : [`the store is ${found.isPaused ? "" : "not "}paused`];
}
