import type { StoreContent } from "./store_content.ts";
import type { Attempt } from "./attempts.ts";
import { actOf, type FoundEvent, sentText } from "./wire_event.ts";

/** Shows for each act with events if it was carried out, as the events show it. */
export type Happened = Map<number, boolean>;

/** @param happened is filled */
export function faultsOfEvents(
  base: Pick<StoreContent, "events">,
  attempts: readonly Attempt[],
  found: StoreContent,
  happened: Happened,
): string[] {
  const faults = [
    ...faultsOfOrder(found.events, base.events[0]?.sequence ?? 1),
    ...faultsOfOldEvents(base.events, found.events),
  ];
  const byAct = Map.groupBy(found.events.slice(base.events.length), actOf);
  for (const attempt of attempts) {
    if (attempt.act.kind !== "write" || attempt.act.events.length === 0) continue;
    const its = byAct.get(attempt.id) ?? [];
    byAct.delete(attempt.id);
    happened.set(attempt.id, its.length > 0);
    faults.push(...faultsOfWrite(attempt, its));
  }
  for (const id of byAct.keys()) faults.push(`nobody has written the events of act ${id}`);
  return faults;
}

function faultsOfOrder(events: readonly FoundEvent[], first: number): string[] {
  const at = events.findIndex(({ sequence }, i) => sequence !== first + i);
  return at < 0 ? [] : [`event ${events[at]!.sequence} is in place ${first + at}: sequences have a gap`];
}

/** Events that were found once must not change. */
function faultsOfOldEvents(old: readonly FoundEvent[], found: readonly FoundEvent[]): string[] {
  if (found.length < old.length) {
    return [`${old.length - found.length} events are gone that were there before`];
  }
  const at = old.findIndex((event, i) => wholeText(event) !== wholeText(found[i]!));
  return at < 0 ? [] : [`event ${at + 1} is no longer what it was`];
}

function wholeText(event: FoundEvent): string {
  return `${event.sequence} ${event.time} ${sentText(event)}`;
}

function faultsOfWrite({ id, act, answer }: Attempt, its: readonly FoundEvent[]): string[] {
  if (act.kind !== "write") return [];
  if (its.length === 0) return answer?.fate === "done" ? [`acknowledged and lost: act ${id}`] : [];
  if (answer?.fate === "rejected") return [`rejected (${answer.status}), and there: act ${id}`];
  const faults: string[] = [];
  if (its.length !== act.events.length) {
    faults.push(`half a write: ${its.length} of the ${act.events.length} events of act ${id}`);
  }
  const first = its[0]!.sequence;
  for (const [i, event] of its.entries()) {
    if (event.sequence !== first + i) faults.push(`torn apart: the events of act ${id}`);
    const sent = act.events[i];
    if (sent !== undefined && sentText(sent) !== sentText(event)) {
      faults.push(`changed: event ${i} of act ${id}`);
    }
    if (answer?.sequences !== undefined && answer.sequences[i] !== event.sequence) {
      faults.push(`event ${i} of act ${id} was told to be ${answer.sequences[i]}, not ${event.sequence}`);
    }
    if (answer?.times !== undefined && answer.times[i] !== event.time) {
      faults.push(`event ${i} of act ${id} was told the time ${answer.times[i]}, not ${event.time}`);
    }
  }
  return faults;
}
