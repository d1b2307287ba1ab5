import { faultsOfEvents, type Happened } from "./check_events.ts";
import { faultsOfProjections } from "./check_projections.ts";
import type { StoreContent } from "./store_content.ts";
import type { Answered, Entry, Intent } from "./record.ts";

/** An act with all that is known about it. Without `told`, anything may have happened to it. */
export interface Attempt extends Intent {
  readonly told: Answered | undefined;
}

/** Most faults that are listed of one explanation; one is enough. */
const FAULTS_MAX = 10;

/**
 * Compares what a store holds with what its clients were told: each acknowledged act is there, byte for byte, each
 * rejected one is not, and each of the others is there as a whole or not at all.
 *
 * @param before the store as it was found before these entries
 * @returns what is wrong, in words; empty when nothing is
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
 * Which resets may be the last one that has happened; undefined when there may be none. Of those that were not answered
 * after the last one that was, any may be. While a client resets, no other may have an act under way.
 */
function lastResets(attempts: readonly Attempt[]): (Attempt | undefined)[] {
  const resets = attempts.filter(({ act, told }) => act.kind === "reset" && told?.fate !== "rejected");
  const done = resets.findLastIndex(({ told }) => told !== undefined);
  return [resets[done], ...resets.slice(done + 1)];
}

/** What is wrong if this reset was the last one. */
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
