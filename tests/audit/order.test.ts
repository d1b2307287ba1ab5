import assert from "node:assert/strict";
import { faultsOfOrder } from "../../audit/order/check_order.ts";
import type { Call, History, LoggedEvent } from "../../audit/order/history.ts";
import { Random } from "../../audit/workload/random.ts";
import { madeHistory } from "./made_history.ts";

const HISTORIES = 60;
const BROKEN = 1000;

Deno.test("histories of a store that does everything right have no faults", () => {
  let conflicts = 0;
  let reads = 0;
  for (let seed = 0; seed < HISTORIES; seed++) {
    const history = madeHistory(new Random(seed), 60);
    assert.deepEqual(faultsOfOrder(history), [], `seed ${seed}`);
    conflicts += history.calls.filter((call) =>
      call.kind === "write" && call.outcome.kind === "conflict"
    ).length;
    reads += history.calls.filter((call) => call.kind === "read" && call.sequences.length > 0).length;
  }
  assert.ok(conflicts > HISTORIES && reads > HISTORIES * 5, `${conflicts} conflicts, ${reads} reads`);
});

/** Breaks a history so that nothing explains it any more; undefined when it has no place for it. */
type Break = (history: History, random: Random) => History | undefined;

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

const breaks: Readonly<Record<string, Break>> = {
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
  "a read sees the head of the future"(history, random) {
    const read = oneOf(history, random, isRead);
    return read && withCall(history, read, { head: history.log.length + 1 });
  },
  "an accepted write is not in the log"(history, random) {
    const write = oneOf(history, random, isAccepted);
    return write && { ...history, log: renumbered(history.log.filter(({ call }) => call !== write.id)) };
  },
  "a refused write is in the log"(history, random) {
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
  "a write is refused for nothing"(history, random) {
    const write = oneOf(history, random, isConflict);
    return write && withCall(history, write, { conditions: [{ query: "every", after: history.log.length }] });
  },
  "a write is refused for another event"(history, random) {
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

Deno.test(`${BROKEN} histories that were broken by hand are all rejected`, () => {
  const counts = new Map<string, number>();
  const kinds = Object.entries(breaks);
  for (let seed = 0, broken = 0; broken < BROKEN; seed++) {
    const random = new Random(seed);
    const history = madeHistory(random, 30 + random.below(40));
    for (const [what, break_] of kinds) {
      const wrong = break_(history, random);
      if (wrong === undefined) continue;
      assert.notDeepEqual(faultsOfOrder(wrong), [], `${what}, seed ${seed}`);
      counts.set(what, (counts.get(what) ?? 0) + 1);
      broken++;
    }
  }
  for (const [what] of kinds) assert.ok((counts.get(what) ?? 0) >= 10, `${what}: ${counts.get(what)}`);
});
