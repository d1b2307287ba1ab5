import { faultsOfEvents, type Happened } from "./judge_events.ts";
import { faultsOfProjections } from "./judge_projections.ts";
import type { FoundStore } from "./found_store.ts";
import type { Entry, Intent, Told } from "./record.ts";

/** An act with all that is known about it. Without `told`, anything may have happened to it. */
export interface Attempt extends Intent {
  readonly told: Told | undefined;
}

/** Most faults that are listed; one is enough. */
const FAULTS_MAX = 10;

/**
 * Compares what a store holds with what its clients were told: each acknowledged act is there, byte for byte, each
 * refused one is not, and each of the others is there as a whole or not at all.
 *
 * @param before the store as it was found before these entries
 * @returns what is wrong, in words; empty when nothing is
 */
export function faultsOf(before: FoundStore, entries: readonly Entry[], found: FoundStore): string[] {
  const attempts = attemptsIn(entries);
  const last = lastReset(attempts, before, found);
  const since = last === undefined ? attempts : attempts.slice(attempts.indexOf(last) + 1);
  const base = last === undefined ? before : { ...before, events: [], projections: [] };
  const happened: Happened = new Map();
  const faults = [
    ...found.faults,
    ...faultsOfIdentity(before, last, found),
    ...faultsOfEvents(base, since, found, happened),
    ...faultsOfProjections(base, since, found, happened),
    ...faultsOfPause(before, attempts, found),
  ];
  return faults.slice(0, FAULTS_MAX);
}

export function attemptsIn(entries: readonly Entry[]): Attempt[] {
  const told = new Map(entries.flatMap((entry) => "told" in entry ? [[entry.told.id, entry.told]] : []));
  return entries.flatMap((entry) =>
    "intent" in entry ? [{ ...entry.intent, told: told.get(entry.intent.id) }] : []
  );
}

/**
 * The last reset that has happened; while a client resets, no other may have an act under way. One of which nobody knows has, when the store has another ID. */
function lastReset(attempts: readonly Attempt[], before: FoundStore, found: FoundStore): Attempt | undefined {
  const resets = attempts.filter(({ act }) => act.kind === "reset");
  const done = resets.findLast(({ told }) => told?.fate === "done");
  const open = resets.findLast(({ told }) => told === undefined);
  if (open === undefined) return done;
  // What a reset leaves behind; with an earlier one, the ID alone does not tell.
  const isEmpty = found.events.length + found.projections.length === 0;
  const isNew = done === undefined ? found.storeId !== before.storeId : isEmpty;
  return isNew ? open : done;
}

function faultsOfIdentity(before: FoundStore, reset: Attempt | undefined, found: FoundStore): string[] {
  const isSame = found.storeId === before.storeId;
  if (reset === undefined && !isSame) return [`the store ID changed, ${before.storeId} to ${found.storeId}`];
  if (reset !== undefined && isSame) return ["the store ID is the one of before the reset"];
  const told = reset?.told?.storeId ?? found.storeId;
  return told === found.storeId
    ? []
    : [`the store ID is ${found.storeId}, after a reset that gave it ${told}`];
}

function faultsOfPause(before: FoundStore, attempts: readonly Attempt[], found: FoundStore): string[] {
  let expected: boolean | undefined = before.isPaused;
  for (const { act, told } of attempts) {
    if ((act.kind !== "pause" && act.kind !== "resume") || told?.fate === "refused") continue;
    const isPaused = act.kind === "pause";
    expected = told === undefined && expected !== isPaused ? undefined : isPaused;
  }
  return expected === undefined || expected === found.isPaused
    ? []
    : [`the store is ${found.isPaused ? "" : "not "}paused`];
}
