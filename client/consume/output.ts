import type { NewEvent } from "../events.ts";
import { listOf, type OneOrMore } from "../one_or_more.ts";
import type { ProjectionChanges } from "../writing.ts";
import type { Effects, Handled } from "./consumer.ts";
import type { Item, Output } from "./partition.ts";
import { parkedId, type ParkedRecord, type Records } from "./records.ts";

/** The most characters of an error in the record of a parked event. */
const ERROR_MAX = 1000;

/** The most items of each kind in one write. The limits of the server are 100 and 500 by default. */
const EVENTS_MAX = 100;
const PROJECTIONS_MAX = 400;

/** The output for the result of a handler. A parked event is no longer parked. */
export function outputOf<Events extends object>(
  { type }: Records,
  { partition, event, parked }: Item<Events>,
  handled: Handled<Events>,
): Output<Events> {
  const effects: Effects<Events> = isEffects(handled)
    ? handled
    : { events: (handled ?? []) as OneOrMore<NewEvent<Events>> };
  const { events = [], projections = {}, conditions = [] } = effects;
  const id = parkedId(partition.index, event.sequence);
  const gone = parked ? [{ type, id, version: parked.version }] : [];
  return {
    events: listOf(events),
    projections: { ...projections, delete: [...projections.delete ?? [], ...gone] },
    conditions: listOf(conditions),
  };
}

function isEffects<Events extends object>(handled: Handled<Events>): handled is Effects<Events> {
  return Object(handled) === handled && !Array.isArray(handled) && !("type" in (handled as object));
}

/**
 * The output that parks an event.
 * @param failure undefined when an earlier event of its key is parked
 */
export function parkedOutput<Events extends object>(
  records: Records,
  { partition, event, key, failures, parked: before }: Item<Events>,
  failure?: { readonly error: unknown },
): Output<Events> {
  const parked: ParkedRecord = {
    sequence: event.sequence,
    type: event.type,
    key,
    error: failure
      ? String(failure.error).slice(0, ERROR_MAX)
      : before?.value.error ?? "an earlier event of the key is parked",
    attempts: (before?.value.attempts ?? 0) + failures,
    time: new Date().toISOString(),
  };
  const id = parkedId(partition.index, event.sequence);
  const projections = before
    ? { replace: [records.replaced(id, before.version, parked)] }
    : { create: [records.created(id, parked)] };
  return { events: [], conditions: [], projections, parked, failure };
}

/** Takes the first outputs that one write may have together. */
export function takeGroup<Events extends object>(finished: Item<Events>[]): Item<Events>[] {
  const group: Item<Events>[] = [];
  const names = new Set<string>();
  let events = 0;
  for (const { output } of finished) {
    const { conditions, projections } = output!;
    const changed = [...changedIn(projections)];
    events += output!.events.length;
    // A condition does not see the other events of its write, so it has a write of its own.
    const fits = !conditions.length && events <= EVENTS_MAX &&
      names.size + changed.length <= PROJECTIONS_MAX &&
      !changed.some((name) => names.has(name));
    if (group.length && !fits) break;
    group.push(finished[group.length]!);
    if (!fits) break;
    for (const name of changed) names.add(name);
  }
  finished.splice(0, group.length);
  return group;
}

function* changedIn(changes: ProjectionChanges): Generator<string> {
  for (const list of [changes.create, changes.replace, changes.delete]) {
    for (const { type, id } of list ?? []) yield JSON.stringify([type, id]);
  }
}
