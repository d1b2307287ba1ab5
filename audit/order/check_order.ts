import type { Call, Condition, History, LoggedEvent, ReadCall, WriteCall } from "./history.ts";
import { firstAfter, isMatch, sequencesOf } from "./matching.ts";

type Write = WriteCall & Call;
type Read = ReadCall & Call;

/**
 * Whether there is one order of all calls that explains every answer, and that keeps the order of those that did not
 * overlap. The log gives the order of the accepted writes; each other call needs a place between two of its events.
 * @returns what cannot be explained, in words; empty when all can
 */
export function faultsOfOrder({ calls, log }: History): string[] {
  const faults: string[] = [];
  const gap = log.findIndex(({ sequence }, i) => sequence !== i + 1);
  if (gap >= 0) return [`event ${log[gap]!.sequence} is in place ${gap + 1} of the log`];
  const byCall = Map.groupBy(log, ({ call }) => call);
  const accepted: Accepted[] = [];
  for (const call of calls) {
    if (call.kind !== "write") continue;
    const its = byCall.get(call.id) ?? [];
    byCall.delete(call.id);
    if (call.outcome.kind === "accepted") {
      faults.push(...faultsOfAccepted(call, its));
      if (its.length > 0) accepted.push({ call, place: its[0]!.sequence - 1 });
    } else if (its.length > 0) {
      faults.push(`call ${call.id} was refused, and has written event ${its[0]!.sequence}`);
    }
  }
  for (const id of byCall.keys()) faults.push(`no call has written the events of ${id}`);
  if (faults.length > 0) return faults;
  const bounds = new Bounds(calls, accepted, log.length);
  for (const call of calls) {
    const fault = call.kind === "read"
      ? faultOfRead(call, log, bounds)
      : faultOfWrite(call, log, bounds, accepted);
    if (fault !== undefined) faults.push(`call ${call.id}: ${fault}`);
  }
  return faults;
}

interface Accepted {
  readonly call: Write;
  /** How many events come before its own. */
  readonly place: number;
}

function faultsOfAccepted({ id, events, outcome }: Write, its: readonly LoggedEvent[]): string[] {
  if (its.length !== events) {
    return [`call ${id} was accepted with ${events} events, of which ${its.length} are there`];
  }
  const first = its[0]?.sequence ?? 0;
  if (its.some(({ sequence }, i) => sequence !== first + i)) {
    return [`the events of call ${id} are torn apart`];
  }
  const told = outcome.kind === "accepted" ? outcome.sequences : undefined;
  return told === undefined || told.join() === its.map(({ sequence }) => sequence).join()
    ? []
    : [`call ${id} was told the sequences ${told.join()}`];
}

/** How many events a call may have seen: all that were certain before it began, none that began after it ended. */
class Bounds {
  readonly #certain: readonly { readonly at: number; readonly length: number }[];
  readonly #begun: readonly { readonly at: number; readonly place: number }[];
  readonly #length: number;

  constructor(calls: readonly Call[], accepted: readonly Accepted[], length: number) {
    const written = accepted.map(({ call, place }) => ({ at: call.ended, length: place + call.events }));
    const seen = calls.flatMap((call) =>
      call.kind === "read" && call.head !== undefined ? [{ at: call.ended, length: call.head }] : []
    );
    this.#certain = [...written, ...seen];
    this.#begun = accepted.map(({ call, place }) => ({ at: call.begun, place }));
    this.#length = length;
  }

  of({ begun, ended }: Call): { readonly least: number; readonly most: number } {
    let least = 0;
    for (const { at, length } of this.#certain) if (at < begun) least = Math.max(least, length);
    let most = this.#length;
    for (const { at, place } of this.#begun) if (at > ended) most = Math.min(most, place);
    return { least, most };
  }
}

function faultOfRead(call: Read, log: readonly LoggedEvent[], bounds: Bounds): string | undefined {
  const { least, most } = bounds.of(call);
  const { head } = call;
  if (head === undefined) {
    for (let place = least; place <= most; place++) {
      if (faultOfPage(call, log, place) === undefined) return undefined;
    }
    return `it got ${call.sequences.join()}, which were never all that matched between ${least} and ${most}`;
  }
  if (head < least || head > most) return `it saw the head ${head}, which was from ${least} to ${most} then`;
  return faultOfPage(call, log, head);
}

/** What is wrong with a page, if the store had so many events. */
function faultOfPage(call: Read, log: readonly LoggedEvent[], head: number): string | undefined {
  const { limit, isBackwards } = call;
  const all = sequencesOf(log.slice(call.after, head), call.query);
  const page = (isBackwards ? all.toReversed() : all).slice(0, limit);
  if (page.join() !== call.sequences.join()) return `it got ${call.sequences.join()} and not ${page.join()}`;
  return call.hasMore === all.length > limit ? undefined : `it was told hasMore=${call.hasMore}`;
}

function faultOfWrite(
  call: Write,
  log: readonly LoggedEvent[],
  bounds: Bounds,
  accepted: readonly Accepted[],
): string | undefined {
  const { least, most } = bounds.of(call);
  const { outcome, conditions, events } = call;
  if (outcome.kind === "takenBack") return undefined;
  if (outcome.kind === "accepted") {
    if (events === 0) return undefined;
    const { place } = accepted.find((one) => one.call === call)!;
    if (place < least) return `it began when ${least} events were there, and was put behind ${place}`;
    if (place + events > most) return `it was put behind a write that began when it was over`;
    const broken = conditions.findIndex((condition) => forbidden(condition, log, place) !== undefined);
    return broken < 0 ? undefined : `it was accepted, and its condition ${broken} does not hold`;
  }
  for (let place = least; place <= most; place++) {
    const first = conditions.findIndex((condition) => forbidden(condition, log, place) !== undefined);
    if (first !== outcome.condition) continue;
    if (forbidden(conditions[first]!, log, place) === outcome.sequence) return undefined;
  }
  return `it was refused for condition ${outcome.condition} and event ${outcome.sequence}, which nothing explains`;
}

/** The first of so many events that a condition forbids. */
function forbidden(condition: Condition, log: readonly LoggedEvent[], length: number): number | undefined {
  if ("after" in condition) return firstAfter(log, condition.query, condition.after, length);
  const found = new Set(condition.found);
  let seen = 0;
  for (let i = 0; i < length; i++) {
    const event = log[i]!;
    if (!isMatch(event, condition.query)) continue;
    if (!found.has(event.sequence)) return event.sequence;
    seen++;
  }
  // It has found something that is not there.
  return seen === found.size ? undefined : -1;
}
