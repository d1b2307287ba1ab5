import type { Call, History, LoggedEvent } from "../../audit/order/history.ts";
import { sequencesOf } from "../../audit/order/matching.ts";
import type { Random } from "../../audit/workload/random.ts";

/** Breaks a history so that nothing explains it any more. Returns undefined when the history has no suitable call. */
export type Break = (history: History, random: Random) => History | undefined;

function withCall<C extends Call>(history: History, old: C, change: Partial<C>): History {
  return { ...history, calls: history.calls.map((call) => call === old ? { ...old, ...change } : call) };
}

function oneOf<C extends Call>(
  { calls }: History,
  random: Random,
  isWanted: (call: Call) => call is C,
): C | undefined {
  const wanted = calls.filter(isWanted);
  return wanted.length === 0 ? undefined : random.pick(wanted);
}

type Read = Extract<Call, { readonly kind: "read" }>;
type Write = Extract<Call, { readonly kind: "write" }>;
const isRead = (call: Call): call is Read => call.kind === "read";
const isAccepted = (call: Call): call is Write => call.kind === "write" && call.outcome.kind === "accepted";
const isConflict = (call: Call): call is Write => call.kind === "write" && call.outcome.kind === "conflict";

function renumbered(log: readonly LoggedEvent[]): LoggedEvent[] {
  return log.map((event, i) => ({ ...event, sequence: i + 1 }));
}

export const BREAKS: Readonly<Record<string, Break>> = {
  "a read misses an event"(history, random) {
    const read = oneOf(history, random, (call): call is Read => isRead(call) && call.sequences.length > 0);
    const gone = random.below(read?.sequences.length ?? 1);
    return read && withCall(history, read, { sequences: read.sequences.filter((_, i) => i !== gone) });
  },
  "a read has an event twice"(history, random) {
    const read = oneOf(history, random, (call): call is Read => isRead(call) && call.sequences.length > 0);
    return read && withCall(history, read, { sequences: [read.sequences[0]!, ...read.sequences] });
  },
  "a read is out of order"(history, random) {
    const read = oneOf(history, random, (call): call is Read => isRead(call) && call.sequences.length > 1);
    return read && withCall(history, read, { sequences: read.sequences.toReversed() });
  },
  "a read is told wrongly whether there is more"(history, random) {
    const read = oneOf(history, random, isRead);
    return read && withCall(history, read, { hasMore: !read.hasMore });
  },
  "a read sees less than was certain before it"(history, random) {
    const read = oneOf(history, random, (call): call is Read =>
      isRead(call) && call.head! > 0 &&
      history.calls.some((other) => isAccepted(other) && other.ended < call.begun));
    return read && withCall(history, read, { head: 0, after: 0, sequences: [], hasMore: false });
  },
  "a read sees half of a write"(history, random) {
    const halves = new Map(
      history.calls.filter(isAccepted).filter(({ events }) => events > 1).map(
        (write) => [placeOf(write) + write.events, placeOf(write) + 1],
      ),
    );
    const read = oneOf(history, random, (call): call is Read => isRead(call) && halves.has(call.head!));
    return read && withCall(history, read, pageAt(read, history.log, halves.get(read.head!)!));
  },
  "a read sees less than a conflict before it"(history, random) {
    const earlier = (read: Call): Write | undefined =>
      history.calls.filter(isConflict).find((write) =>
        write.ended < read.begun && write.outcome.kind === "conflict"
      );
    const read = oneOf(history, random, (call): call is Read => isRead(call) && earlier(call) !== undefined);
    const outcome = read && earlier(read)!.outcome;
    if (outcome?.kind !== "conflict") return undefined;
    const before = history.log[outcome.sequence - 1]!.call;
    const head = history.log.findIndex(({ call }) => call === before);
    return withCall(history, read!, pageAt(read!, history.log, head));
  },
  "a read sees the head of the future"(history, random) {
    const read = oneOf(history, random, isRead);
    return read && withCall(history, read, { head: history.log.length + 1 });
  },
  "an accepted write is not in the log"(history, random) {
    const write = oneOf(history, random, isAccepted);
    return write && { ...history, log: renumbered(history.log.filter(({ call }) => call !== write.id)) };
  },
  "a rejected write is in the log"(history, random) {
    const write = oneOf(history, random, isConflict);
    const event = { sequence: 0, type: "s", identifiers: [], call: write?.id ?? 0 };
    return write && { ...history, log: renumbered([...history.log, event]) };
  },
  "half of a write is in the log"(history, random) {
    const write = oneOf(history, random, (call): call is Write => isAccepted(call) && call.events > 1);
    const lost = history.log.findLast(({ call }) => call === write?.id);
    return write && { ...history, log: renumbered(history.log.filter((event) => event !== lost)) };
  },
  "a write is told other sequences"(history, random) {
    const write = oneOf(history, random, isAccepted);
    if (write?.outcome.kind !== "accepted") return undefined;
    const sequences = write.outcome.sequences!.map((sequence) => sequence + 1);
    return withCall(history, write, { outcome: { kind: "accepted", sequences } });
  },
  "a write is accepted against its condition"(history, random) {
    const write = oneOf(history, random, (call): call is Write => isAccepted(call) && placeOf(call) > 0);
    return write && withCall(history, write, { conditions: [{ query: "every", after: placeOf(write) - 1 }] });
  },
  "a write is accepted after its read is outdated"(history, random) {
    const write = oneOf(history, random, (call): call is Write => isAccepted(call) && placeOf(call) > 0);
    return write && withCall(history, write, { conditions: [{ query: "every", found: [] }] });
  },
  "a write is rejected for nothing"(history, random) {
    const write = oneOf(history, random, isConflict);
    return write && withCall(history, write, { conditions: [{ query: "every", after: history.log.length }] });
  },
  "a write is rejected for another event"(history, random) {
    const write = oneOf(history, random, isConflict);
    if (write?.outcome.kind !== "conflict") return undefined;
    return withCall(history, write, {
      outcome: { ...write.outcome, sequence: write.outcome.sequence + 1000 },
    });
  },
  "two writes of which one was over before the other began change places"(history, random) {
    const pairs = history.calls.filter(isAccepted).flatMap((first) =>
      history.calls.filter(isAccepted).filter((other) => first.ended < other.begun).map((
        other,
      ) => [first, other])
    );
    if (pairs.length === 0) return undefined;
    const [first, other] = random.pick(pairs) as [Write, Write];
    const of = ({ id }: Write): LoggedEvent[] => history.log.filter(({ call }) => call === id);
    const rest = history.log.filter(({ call }) => call !== first.id && call !== other.id);
    const log = renumbered([
      ...rest.slice(0, placeOf(first)),
      ...of(other),
      ...of(first),
      ...rest.slice(placeOf(first)),
    ]);
    const untold = { outcome: { kind: "accepted", sequences: undefined } } as const;
    return withCall(
      withCall({ ...history, log }, first, untold),
      history.calls.find((call) => call === other)!,
      untold,
    );
  },
  "a sequence is skipped"(history) {
    const [first, ...rest] = history.log.toReversed();
    return first && { ...history, log: [...rest.toReversed(), { ...first, sequence: first.sequence + 1 }] };
  },
};

function placeOf({ outcome }: Write): number {
  return outcome.kind === "accepted" ? outcome.sequences![0]! - 1 : 0;
}

/** The page of a read when the store has this number of events. */
function pageAt(read: Read, log: readonly LoggedEvent[], head: number): Partial<Read> {
  const all = sequencesOf(log.slice(read.after, head), read.query);
  const page = read.isBackwards ? all.toReversed() : all;
  return { head, sequences: page.slice(0, read.limit), hasMore: all.length > read.limit };
}
