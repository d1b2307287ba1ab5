import type { Call, Condition, History, LoggedEvent, ReadCall, WriteCall } from "./history.ts";
import { firstAfter, isMatch, sequencesOf } from "./matching.ts";

type Write = WriteCall & Call;
type Read = ReadCall & Call;

/**
 * Checks that one order of all calls explains every answer, and respects the order of calls that did not overlap. The
 * log gives the order of the accepted writes. Each other call needs a position between two of its events.
 * @returns the answers that cannot be explained, in words; empty when all can
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
      faults.push(`call ${call.id} was rejected, and has written event ${its[0]!.sequence}`);
    }
  }
  for (const id of byCall.keys()) faults.push(`no call has written the events of ${id}`);
  if (faults.length > 0) return faults;
  const bounds = new Bounds(accepted, log.length);
  // The events that a call has seen are certain for the calls that began after it. The loop reaches those later.
  for (const call of calls.toSorted((one, other) => one.begun - other.begun)) {
    const found = call.kind === "read"
      ? placeOfRead(call, log, bounds)
      : placeOfWrite(call, log, bounds, accepted);
    if (typeof found === "string") faults.push(`call ${call.id}: ${found}`);
    else if (found !== undefined) bounds.add(call, found);
  }
  return faults;
}

interface Accepted {
  readonly call: Write;
  /** The number of events before its own. */
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
  const sequences = outcome.kind === "accepted" ? outcome.sequences : undefined;
  return sequences === undefined || sequences.join() === its.map(({ sequence }) => sequence).join()
    ? []
    : [`call ${id} was told the sequences ${sequences.join()}`];
}

/**
 * The bounds on the number of events that a call may have seen. It saw all events that were certain before it began,
 * and none of the writes that began after it ended.
 */
class Bounds {
  readonly #certain: { readonly at: number; readonly length: number }[];
  readonly #begun: readonly { readonly at: number; readonly place: number }[];
  /** The possible heads: the events of one write are all committed together. */
  readonly #lengths: readonly number[];

  constructor(accepted: readonly Accepted[], length: number) {
    this.#certain = accepted.map(({ call, place }) => ({ at: call.ended, length: place + call.events }));
    this.#begun = accepted.map(({ call, place }) => ({ at: call.begun, place }));
    this.#lengths = [...accepted.map(({ place }) => place), length].sort((one, other) => one - other);
  }

  /** Records that a call has seen at least this number of events. */
  add({ ended }: Call, length: number): void {
    this.#certain.push({ at: ended, length });
  }

  of({ begun, ended }: Call): { readonly least: number; readonly most: number } {
    let least = 0;
    for (const { at, length } of this.#certain) if (at < begun) least = Math.max(least, length);
    let most = this.#lengths.at(-1)!;
    for (const { at, place } of this.#begun) if (at > ended) most = Math.min(most, place);
    return { least, most };
  }

  /** Returns the first head that explains the answer of a call. */
  first(call: Call, explains: (length: number) => boolean): number | undefined {
    const { least, most } = this.of(call);
    return this.#lengths.find((length) => length >= least && length <= most && explains(length));
  }
}

/** @returns the minimum number of events that it has seen, or the fault */
function placeOfRead(call: Read, log: readonly LoggedEvent[], bounds: Bounds): number | string {
  const { least, most } = bounds.of(call);
  const { head } = call;
  if (head === undefined) {
    return bounds.first(call, (length) => faultOfPage(call, log, length) === undefined) ??
      `it got ${call.sequences.join()}, which were never all that matched between ${least} and ${most}`;
  }
  if (head < least || head > most) return `it saw the head ${head}, which was from ${least} to ${most} then`;
  if (bounds.first(call, (length) => length === head) === undefined) {
    return `it saw the head ${head}, in the midst of a write`;
  }
  return faultOfPage(call, log, head) ?? head;
}

/** Returns the fault of a page, if the store had this number of events. */
function faultOfPage(call: Read, log: readonly LoggedEvent[], head: number): string | undefined {
  const { limit, isBackwards } = call;
  const all = sequencesOf(log.slice(call.after, head), call.query);
  const page = (isBackwards ? all.toReversed() : all).slice(0, limit);
  if (page.join() !== call.sequences.join()) return `it got ${call.sequences.join()} and not ${page.join()}`;
  return call.hasMore === all.length > limit ? undefined : `it was told hasMore=${call.hasMore}`;
}

/** @returns the minimum number of events that it has seen, if that is known, or the fault */
function placeOfWrite(
  call: Write,
  log: readonly LoggedEvent[],
  bounds: Bounds,
  accepted: readonly Accepted[],
): number | string | undefined {
  const { outcome, conditions, events } = call;
  if (outcome.kind === "takenBack") return undefined;
  if (outcome.kind === "accepted") {
    if (events === 0) return undefined;
    const { least, most } = bounds.of(call);
    const { place } = accepted.find((one) => one.call === call)!;
    if (place < least) return `it began when ${least} events were there, and was put behind ${place}`;
    if (place + events > most) return `it was put behind a write that began when it was over`;
    const broken = conditions.findIndex((condition) => forbidden(condition, log, place) !== undefined);
    return broken < 0 ? place + events : `it was accepted, and its condition ${broken} does not hold`;
  }
  const isExplained = (length: number): boolean => {
    const first = conditions.findIndex((condition) => forbidden(condition, log, length) !== undefined);
    return first === outcome.condition && forbidden(conditions[first]!, log, length) === outcome.sequence;
  };
  return bounds.first(call, isExplained) ??
    `it was rejected for condition ${outcome.condition} and event ${outcome.sequence}, which nothing explains`;
}

/**
 * Returns the first of these events that a condition forbids; -1 when the condition depends on an event that is
 * missing.
 */
function forbidden(condition: Condition, log: readonly LoggedEvent[], length: number): number | undefined {
  if ("after" in condition) {
    return condition.after > length ? -1 : firstAfter(log, condition.query, condition.after, length);
  }
  const found = new Set(condition.found);
  let seen = 0;
  for (let i = 0; i < length; i++) {
    const event = log[i]!;
    if (!isMatch(event, condition.query)) continue;
    if (!found.has(event.sequence)) return event.sequence;
    seen++;
  }
  return seen === found.size ? undefined : -1;
}
