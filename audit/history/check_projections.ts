import type { FoundProjection, StoreContent } from "./store_content.ts";
import type { Attempt } from "./attempts.ts";
import type { Happened } from "./check_events.ts";

/** The expected projection. Without a version, it has one that no projection ever had. */
interface Expected {
  readonly payload: string;
  readonly version: string | undefined;
}

type State = ReadonlyMap<string, Expected>;

/**
 * Each client has projections of its own, whose type begins with its name, and one act under way at a time. So the
 * expected content follows from its acts in their order. Only the last act may be open, if no events show its outcome.
 */
export function faultsOfProjections(
  base: Pick<StoreContent, "projections">,
  attempts: readonly Attempt[],
  found: StoreContent,
  happened: Happened,
): string[] {
  const before = stateOf(base.projections);
  const { versions, faults: repeated } = versionsOf(base.projections, attempts);
  let states: readonly State[] = [before];
  for (const attempt of attempts) {
    const has = happened.get(attempt.id) ??
      (attempt.answer === undefined ? undefined : attempt.answer.fate === "done");
    if (has === false) continue;
    const after = states.map((state) => apply(state, attempt));
    states = has === true ? after : distinct([...states, ...after]);
  }
  const there = new Map(found.projections.map((projection) => [keyOf(projection), projection]));
  const faults = states.map((state) => differences(state, there, versions));
  const fewest = faults.reduce((least, one) => one.length < least.length ? one : least);
  return [...repeated, ...fewest];
}

/** Returns all known versions that were given, and a fault for each one that was given twice. */
function versionsOf(
  old: readonly FoundProjection[],
  attempts: readonly Attempt[],
): { readonly versions: ReadonlySet<string>; readonly faults: string[] } {
  const versions = new Set(old.map(({ version }) => version));
  const faults: string[] = [];
  for (const { id, answer } of attempts) {
    for (const version of answer?.versions ?? []) {
      if (version === null) continue;
      if (versions.has(version)) faults.push(`act ${id} was told a version that was given before`);
      versions.add(version);
    }
  }
  return { versions, faults };
}

function stateOf(projections: readonly FoundProjection[]): State {
  return new Map(
    projections.map((found) => [keyOf(found), { payload: found.payload, version: found.version }]),
  );
}

function apply(state: State, { act, answer }: Attempt): State {
  if (act.kind === "deleteProjections") {
    const { type } = act;
    const isGone = (key: string): boolean => type === undefined || key.startsWith(`${JSON.stringify(type)} `);
    return new Map([...state].filter(([key]) => !isGone(key)));
  }
  if (act.kind !== "write") return state;
  const next = new Map(state);
  for (const [i, change] of act.projections.entries()) {
    if (change.payload === undefined) next.delete(keyOf(change));
    else next.set(keyOf(change), { payload: change.payload, version: answer?.versions?.[i] ?? undefined });
  }
  return next;
}

/** Several clients may each have an act open when the server dies. */
function distinct(states: readonly State[]): readonly State[] {
  const texts = new Map(states.map((state) => [JSON.stringify([...state].toSorted()), state]));
  if (texts.size > STATES_MAX) throw new Error("too many acts without events are open at once");
  return [...texts.values()];
}

const STATES_MAX = 4096;

function differences(
  expected: State,
  found: ReadonlyMap<string, FoundProjection>,
  oldVersions: ReadonlySet<string>,
): string[] {
  const faults: string[] = [];
  for (const [key, { payload, version }] of expected) {
    const its = found.get(key);
    if (its === undefined) faults.push(`the projection ${key} is missing`);
    else if (its.payload !== payload) faults.push(`the projection ${key} has another payload than expected`);
    else if (version !== undefined ? its.version !== version : oldVersions.has(its.version)) {
      faults.push(`the projection ${key} has not the version that belongs to its payload`);
    }
  }
  for (const key of found.keys()) {
    if (!expected.has(key)) faults.push(`the projection ${key} should not be there`);
  }
  return faults;
}

function keyOf({ type, id }: { readonly type: string; readonly id: string }): string {
  return `${JSON.stringify(type)} ${JSON.stringify(id)}`;
}
