import type { Call, History, LoggedEvent } from "../../audit/order/history.ts";
import type { Random } from "../../audit/workload/random.ts";

/* Changes a history, which may stay right or not. The checkers must agree on that. */

type Alter = (history: History, random: Random) => History | undefined;

function changed(
  history: History,
  random: Random,
  change: (call: Call) => Partial<Call> | undefined,
): History | undefined {
  if (history.calls.length === 0) return undefined;
  const chosen = random.pick(history.calls);
  const change_ = change(chosen);
  if (change_ === undefined) return undefined;
  return {
    ...history,
    calls: history.calls.map((call) => call === chosen ? { ...call, ...change_ } as Call : call),
  };
}

function step(random: Random): number {
  return random.pick([-2, -1, 1, 2]);
}

const withLog = (history: History, log: readonly LoggedEvent[]): History => ({
  ...history,
  log: log.map((event, i) => ({ ...event, sequence: i + 1 })),
});

export const ALTERATIONS: Readonly<Record<string, Alter>> = {
  "a call begins later": (history, random) =>
    changed(history, random, ({ begun, ended }) => ({ begun: begun + random.below(ended - begun + 1) })),
  "a call ends earlier": (history, random) =>
    changed(history, random, ({ begun, ended }) => ({ ended: ended - random.below(ended - begun + 1) })),
  "a call is a moment": (history, random) =>
    changed(history, random, ({ begun, ended }) => {
      const moment = begun + random.below(ended - begun + 1);
      return { begun: moment, ended: moment };
    }),
  "all calls are shorter": (history, random) => ({
    ...history,
    calls: history.calls.map((call) => {
      const begun = call.begun + random.below((call.ended - call.begun) / 2 + 1);
      return { ...call, begun, ended: begun + random.below(call.ended - begun + 1) };
    }),
  }),
  "a call happens elsewhere": (history, random) =>
    changed(history, random, ({ begun, ended }) => {
      const shift = random.below(61) - 30;
      return { begun: begun + shift, ended: ended + shift };
    }),
  "a read sees another head": (history, random) =>
    changed(
      history,
      random,
      (call) =>
        call.kind === "read" && call.head !== undefined
          ? { head: Math.max(0, call.head + step(random)) }
          : undefined,
    ),
  "a read loses its last event": (history, random) =>
    changed(
      history,
      random,
      (call) =>
        call.kind === "read" && call.sequences.length > 0
          ? { sequences: call.sequences.slice(0, -1) }
          : undefined,
    ),
  "a read no longer tells its head": (history, random) =>
    changed(history, random, (call) => call.kind === "read" ? { head: undefined } : undefined),
  "no read tells its head": (history) => ({
    ...history,
    calls: history.calls.map((call) => call.kind === "read" ? { ...call, head: undefined } : call),
  }),
  "a condition is about another position": (history, random) =>
    changed(history, random, (call) => {
      if (call.kind !== "write") return undefined;
      const conditions = call.conditions.map((condition) =>
        "after" in condition
          ? { ...condition, after: Math.max(0, condition.after + step(random)) }
          : condition
      );
      return { conditions };
    }),
  "a conflict names another event": (history, random) =>
    changed(
      history,
      random,
      (call) =>
        call.kind === "write" && call.outcome.kind === "conflict"
          ? { outcome: { ...call.outcome, sequence: call.outcome.sequence + step(random) } }
          : undefined,
    ),
  "a conflict was written": (history, random) =>
    changed(
      history,
      random,
      (call) =>
        call.kind === "write" && call.outcome.kind === "conflict"
          ? { outcome: { kind: "accepted", sequences: undefined } }
          : undefined,
    ),
  "what was written was a conflict": (history, random) =>
    changed(
      history,
      random,
      (call) =>
        call.kind === "write" && call.outcome.kind === "accepted"
          ? { outcome: { kind: "conflict", condition: 0, sequence: 1 + random.below(history.log.length) } }
          : undefined,
    ),
  "a write was told other sequences": (history, random) =>
    changed(history, random, (call) => {
      if (call.kind !== "write" || call.outcome.kind !== "accepted") return undefined;
      const by = step(random);
      return {
        outcome: { kind: "accepted", sequences: call.outcome.sequences?.map((sequence) => sequence + by) },
      };
    }),
  "no write was told its sequences": (history) => ({
    ...history,
    calls: history.calls.map((call) =>
      call.kind === "write" && call.outcome.kind === "accepted"
        ? { ...call, outcome: { kind: "accepted", sequences: undefined } }
        : call
    ),
  }),
  "an event is not in the log": (history, random) =>
    history.log.length === 0
      ? undefined
      : withLog(history, history.log.toSpliced(random.below(history.log.length), 1)),
  "an event is in the log twice": (history, random) =>
    history.log.length === 0 ? undefined : withLog(
      history,
      history.log.toSpliced(random.below(history.log.length), 0, random.pick(history.log)),
    ),
  "two events change places": (history, random) => {
    const at = random.below(history.log.length - 1);
    const [one, other] = history.log.slice(at, at + 2);
    return other === undefined ? undefined : withLog(history, history.log.toSpliced(at, 2, other, one!));
  },
};
