import type { Attempt } from "../history/attempts.ts";
import type { Act } from "../history/record.ts";
import { PROBED } from "../postgres/going_on.ts";
import { actOf, type FoundEvent, sentText, type WireEvent } from "../history/wire_event.ts";
import { SUBJECT } from "../workload/endings.ts";

/** An event as a read gives it. `forgotten` names the subjects whose keys are gone. */
export interface ReadEvent extends FoundEvent {
  readonly forgotten?: readonly string[];
}

/** The acts that happened, as the events show it, and the faults, in words. */
export interface Verdict {
  readonly happened: readonly Attempt[];
  readonly faults: readonly string[];
}

/**
 * Compares the events of a store with what its clients did, each with subjects of its own. An acknowledged act has
 * happened, a rejected one has not. Each of the others has happened as a whole or not at all: a forgetting destroys the
 * key of all earlier events of the subject, and brings its own events.
 * @param found all events of the store, also those that only show that it serves
 */
export function verdictOn(attempts: readonly Attempt[], found: readonly ReadEvent[]): Verdict {
  const faults = faultsOfOrder(found);
  const happened: Attempt[] = [];
  const others = found.filter(({ type }) => type !== PROBED);
  const bySubject = Map.groupBy(others, ({ identifiers }) => String(identifiers["by"]));
  for (const [subject, its] of Map.groupBy(attempts, ({ client }) => client)) {
    const events = bySubject.get(subject) ?? [];
    bySubject.delete(subject);
    const explanation = explanationOf(its, events);
    if (explanation !== undefined) happened.push(...explanation);
    else {faults.push(
        `no outcome of ${its.map(nameOf).join(", ")} explains ${events.map(shortOf).join(", ")}`,
      );}
  }
  for (const subject of bySubject.keys()) faults.push(`no client wrote the events of ${subject}`);
  return { happened, faults };
}

function faultsOfOrder(events: readonly FoundEvent[]): string[] {
  const at = events.findIndex(({ sequence }, i) => sequence !== i + 1);
  return at < 0 ? [] : [`event ${events[at]!.sequence} follows event ${at}: sequences have a gap`];
}

/** Returns the acts after which a subject has exactly these events; undefined when there are none. */
function explanationOf(attempts: readonly Attempt[], found: readonly ReadEvent[]): Attempt[] | undefined {
  const present = new Set(found.map(actOf));
  const isShown = ({ id, act, answer }: Attempt): boolean =>
    answer === undefined ? eventsOf(act).length > 0 && present.has(id) : answer.fate === "done";
  const isOpen = ({ act, answer }: Attempt): boolean => answer === undefined && eventsOf(act).length === 0;
  const shown = attempts.filter(isShown);
  // Only its effect on earlier events shows whether a forgetting without events happened.
  const all = attempts.filter((attempt) => isShown(attempt) || isOpen(attempt));
  const expected = textsOf(found);
  return [shown, all].find((acts) => textsOf(eventsAfter(acts)) === expected);
}

/** A subject's events after these acts. */
function eventsAfter(acts: readonly Attempt[]): Pick<ReadEvent, keyof WireEvent | "forgotten">[] {
  let events: Pick<ReadEvent, keyof WireEvent | "forgotten">[] = [];
  for (const { act } of acts) {
    if (act.kind === "forget") {
      events = events.map((event) =>
        SUBJECT in event.identifiers ? { ...event, payload: "", forgotten: [SUBJECT] } : event
      );
    }
    events.push(...eventsOf(act));
  }
  return events;
}

export function eventsOf(act: Act): readonly WireEvent[] {
  return act.kind === "write" || act.kind === "forget" ? act.events : [];
}

function textsOf(events: readonly Pick<ReadEvent, keyof WireEvent | "forgotten">[]): string {
  return events.map((event) => `${sentText(event)}${JSON.stringify(event.forgotten ?? [])}`).join("\n");
}

function shortOf(event: ReadEvent): string {
  const payload = event.forgotten === undefined ? JSON.stringify(event.payload.slice(0, 20)) : "forgotten";
  return `event ${event.sequence} of act ${actOf(event)} (${payload})`;
}

function nameOf({ id, act, answer }: Attempt): string {
  return `${act.kind} ${id} (${answer?.fate ?? "no answer"})`;
}
