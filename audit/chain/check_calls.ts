import { matches } from "../../src/model/query.ts";
import type { Evidence, Settled } from "./evidence.ts";
import type { Call, SeenEvent } from "./observed.ts";

/** How often `decide` and `writeOnce` try before they give up. */
const ATTEMPTS = 10;

/** Returns the faults of calls that write: events that do not fit the call, and answers that do not fit the events. */
export function faultsOfCalls(evidence: Evidence): string[] {
  const { observations, after } = evidence;
  const stored = byLabel(after.events);
  return [
    ...faultsOfTwice(after),
    ...observations.calls.flatMap((call) => {
      const found = stored.get(call.label) ?? [];
      switch (call.outcome.kind) {
        case "done":
          return faultsOfDone(call, call.outcome, found, evidence);
        case "failed":
          return faultsOfFailed(call, call.outcome, found, evidence);
        case "declined":
          return found.length === 0
            ? []
            : [`${call.label} wanted to write nothing, and ${at(found)} is there`];
        case "unknown":
          return faultsOfParts(call, found);
      }
    }),
  ];
}

type Done = Extract<Call["outcome"], { readonly kind: "done" }>;
type Failed = Extract<Call["outcome"], { readonly kind: "failed" }>;

/** The label of the call that wrote an event. */
export function labelOf({ mark }: Pick<SeenEvent, "mark">): string {
  return mark.slice(0, mark.lastIndexOf("/"));
}

function byLabel(events: readonly SeenEvent[]): Map<string, SeenEvent[]> {
  return Map.groupBy(events, labelOf);
}

function at(events: readonly SeenEvent[]): string {
  return `event ${events.map(({ sequence }) => sequence).join()}`;
}

function faultsOfTwice({ storeId, events }: Settled): string[] {
  const faults: string[] = [];
  for (const [mark, its] of Map.groupBy(events, ({ mark }) => mark)) {
    if (its.length > 1) faults.push(`${mark} is in store ${storeId} more than once: ${at(its)}`);
  }
  return faults;
}

function faultsOfDone(
  call: Call,
  { storeId, events }: Done,
  found: SeenEvent[],
  evidence: Evidence,
): string[] {
  const { before, failover, after } = evidence;
  const { label, operation } = call;
  const told = `${operation} ${label} was told as done`;
  if (found.length === 0) {
    if (!failover.isLossy) return [`${told}, and is lost in a failover without loss`];
    if (call.begun > failover.promotedAt) return [`${told} after the failover, and is lost`];
    if (after.storeId === before.storeId) {
      return [`${told}, is lost, and the store ID is still ${after.storeId}`];
    }
    return faultsOfCondition(call, storeId, events?.[0]?.sequence, evidence);
  }
  const faults = faultsOfParts(call, found);
  const isHere = storeId === undefined || storeId === after.storeId;
  const isMoved = events?.some(({ sequence, time }, i) =>
    found[i]?.sequence !== sequence || found[i]?.time !== time
  );
  // A retry may have written the events again that were lost with the other store.
  const mayDiffer = failover.isLossy && after.storeId !== before.storeId;
  if (isMoved && (isHere && storeId !== undefined || !mayDiffer)) {
    faults.push(`${told} as event ${events!.map(({ sequence }) => sequence).join()}, and is ${at(found)}`);
  }
  return [...faults, ...faultsOfCondition(call, storeId, events?.[0]?.sequence, evidence)];
}

/** The events of one call are all present, one directly after the other. */
function faultsOfParts({ label, events }: Call, found: SeenEvent[]): string[] {
  if (found.length === 0) return [];
  const first = found[0]!.sequence;
  const isTorn = found.some(({ sequence, mark }, i) => sequence !== first + i || mark !== `${label}/${i}`);
  const isPart = events !== undefined && found.length !== events;
  return isTorn || isPart ? [`the events of ${label} are torn apart: ${at(found)}`] : [];
}

/** No event that the condition forbids comes before the written event, and the condition is about the same store. */
function faultsOfCondition(
  { label, condition }: Call,
  storeId: string | undefined,
  sequence: number | undefined,
  { observations }: Evidence,
): string[] {
  if (condition === undefined || storeId === undefined || sequence === undefined) return [];
  const { query, after } = condition;
  if (after.storeId !== storeId) {
    return [`${label} was accepted in store ${storeId} with a condition read in store ${after.storeId}`];
  }
  for (const event of observations.histories.of(storeId).values()) {
    const isBetween = event.sequence > after.sequence && event.sequence < sequence;
    if (!isBetween || !matches(query, event)) continue;
    return [
      `${label} was accepted as event ${sequence}, though event ${event.sequence} matches after ${after.sequence}`,
    ];
  }
  return [];
}

function faultsOfFailed(
  call: Call,
  { name, message, isOfStore }: Failed,
  found: SeenEvent[],
  evidence: Evidence,
): string[] {
  const { label, operation } = call;
  const words = `${operation} ${label} failed with ${name} (${message})`;
  const faults = isOfStore ? [] : [`${words}, which no handler may throw`];
  const old = evidence.observations.histories.of(evidence.before.storeId);
  const lost = call.ended < evidence.failover.struckAt && found.length === 0
    ? [...old.values()].filter((event) => labelOf(event) === label)
    : found;
  // Another call under the same key may have written it.
  const isOthers = operation === "once" &&
    evidence.observations.calls.some((other) => other !== call && other.label === label);
  if (lost.length > 0 && !isOthers) faults.push(`${words}, and is there as ${at(lost)}`);
  if (name !== "Conflict" || call.condition !== undefined) return faults;
  // The keys of all calls are about the same events, so no other condition can have failed.
  if (operation === "once") faults.push(`${words}, though nothing can be in its way`);
  // An attempt that finds another store ends before its write.
  const attempts = call.writes + Math.max(0, call.storeIds.size - 1);
  if (operation === "decide" && attempts < ATTEMPTS) {
    faults.push(`${words} after ${attempts} of ${ATTEMPTS} attempts`);
  }
  return faults;
}
