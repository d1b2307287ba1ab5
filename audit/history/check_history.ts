import { faultsOfEvents, type Happened } from "./check_events.ts";
import { faultsOfProjections } from "./check_projections.ts";
import type { StoreContent } from "./store_content.ts";
import type { Answered, Entry, Intent } from "./record.ts";

/** An act with all that is known about it. Without `told`, its outcome is unknown. */
export interface Attempt extends Intent {
  readonly told: Answered | undefined;
}

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

export function attemptsIn(entries: readonly Entry[]): Attempt[] {
  const told = new Map(entries.flatMap((entry) => "told" in entry ? [[entry.told.id, entry.told]] : []));
  return entries.flatMap((entry) =>
    "intent" in entry ? [{ ...entry.intent, told: told.get(entry.intent.id) }] : []
  );
}

/**
 * Returns the resets that may be the last one carried out; undefined stands for no reset. Every unanswered reset after
 * the last answered one may be it. While a client resets, no other client may have an act under way.
 */
function lastResets(attempts: readonly Attempt[]): (Attempt | undefined)[] {
  const resets = attempts.filter(({ act, told }) => act.kind === "reset" && told?.fate !== "rejected");
  const done = resets.findLastIndex(({ told }) => told !== undefined);
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
  for (const { id, act, told } of attempts) {
    if (act.kind !== "reset" || told?.storeId === undefined) continue;
    known = told.storeId;
    if (seen.has(known)) faults.push(`the store ID is the one of before reset ${id}`);
    seen.add(known);
  }
  const isNew = reset !== undefined && reset.told?.storeId === undefined;
  if (!isNew && found.storeId !== known) faults.push(`the store ID changed, ${known} to ${found.storeId}`);
  if (isNew && seen.has(found.storeId)) faults.push(`the store ID is the one of before reset ${reset.id}`);
  return faults;
}

function faultsOfPause(before: StoreContent, attempts: readonly Attempt[], found: StoreContent): string[] {
  let expected: boolean | undefined = before.isPaused;
  for (const { act, told } of attempts) {
    if ((act.kind !== "pause" && act.kind !== "resume") || told?.fate === "rejected") continue;
    const isPaused = act.kind === "pause";
    expected = told === undefined && expected !== isPaused ? undefined : isPaused;
  }
  return expected === undefined || expected === found.isPaused
    ? []
    : [`the store is ${found.isPaused ? "" : "not "}paused`];
}
