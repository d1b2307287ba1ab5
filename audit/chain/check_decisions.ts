import type { Evidence } from "./evidence.ts";
import type { SeenEvent } from "./observed.ts";
import { faultOfSeats, folded, NOTHING, type Saw } from "./seats.ts";

/** Each decision saw the state that its store had just before it, and no show has fewer seats than are taken. */
export function faultsOfDecisions({ after, before, observations }: Evidence): string[] {
  const old = observations.histories.of(before.storeId);
  return [
    ...faultsIn(after.storeId, after.events),
    ...after.storeId === before.storeId ? [] : faultsIn(before.storeId, inOrder(old.values())),
    ...observations.calls.flatMap(({ label, outcome }) => {
      if (outcome.kind !== "declined" || outcome.at === undefined) return [];
      const { at, topic, saw } = outcome;
      const events = [...observations.histories.of(at.storeId).values()];
      return isSameState(stateAt(events, "show", topic, at.sequence), saw)
        ? []
        : [`${label} declined on a state of ${topic} that store ${at.storeId} never had: ${textOf(saw)}`];
    }),
  ];
}

/** The state of a topic, computed from its events up to a sequence. */
export function stateAt(events: readonly SeenEvent[], name: string, value: string, sequence: number): Saw {
  return inOrder(events)
    .filter((event) => event.sequence <= sequence && isAbout(event, name, value))
    .reduce(folded, NOTHING);
}

export function isSameState(one: Saw, other: Saw): boolean {
  return one.taken === other.taken && one.last === other.last && one.digest === other.digest;
}

export function textOf({ taken, last }: Saw): string {
  return `${taken} taken, the last event ${last}`;
}

export function isAbout({ identifiers }: SeenEvent, name: string, value: string): boolean {
  return identifiers.some((tag) => tag.name === name && tag.value === value);
}

export function inOrder(events: Iterable<SeenEvent>): SeenEvent[] {
  return [...events].sort((a, b) => a.sequence - b.sequence);
}

function faultsIn(storeId: string, events: readonly SeenEvent[]): string[] {
  const faults: string[] = [];
  const states = new Map<string, Saw>();
  for (const [i, event] of events.entries()) {
    // After a lost event that no page has shown, the states are unknown.
    if (event.sequence !== i + 1) break;
    const show = event.identifiers.find(({ name }) => name === "show")?.value;
    if (show === undefined) continue;
    const before = states.get(show) ?? NOTHING;
    const where = `store ${storeId}, ${show}, event ${event.sequence} (${event.mark})`;
    if (event.mark.endsWith("/0") && event.saw !== undefined && !isSameState(event.saw, before)) {
      faults.push(`${where}: its decision saw ${textOf(event.saw)}; it was ${textOf(before)}`);
    }
    const after = folded(before, event);
    const fault = faultOfSeats(before, after, event);
    if (fault !== undefined) faults.push(`${where}: ${fault}`);
    states.set(show, after);
  }
  return faults;
}
