import type { Operation } from "../../audit/linearizability/operations.ts";
import type { Random } from "../../audit/workload/random.ts";

/** Changes one answer or one time of a history, which may stay right or not. */
export function altered(history: readonly Operation[], random: Random): Operation[] {
  const at = random.below(history.length);
  const one = history[at]!;
  const alter = random.pick([alterTimes, alterAnswer, alterAnswer]);
  return history.with(at, alter(one, random));
}

function alterTimes(one: Operation, random: Random): Operation {
  if (one.return === null) return { ...one, call: one.call + random.below(30) };
  const call = one.call + random.below(one.return - one.call + 1);
  return { ...one, call, return: call + random.below(one.return - call + 1) };
}

function alterAnswer(one: Operation, random: Random): Operation {
  if (one.op === "fork") {
    return { ...one, output: { ...one.output, kept: one.output.kept - random.below(2) } };
  }
  if (one.op === "write") {
    return { ...one, return: one.return ?? one.call + 20, output: otherAnswer(one.output, random) };
  }
  const { head = 0, events } = one.output;
  const change = random.pick([
    { head: Math.max(0, head + random.pick([-1, 1])) },
    { events: events.slice(1) },
    { events: events.map(([sequence, label]) => [sequence + 1, label] as const) },
  ]);
  return { ...one, output: { ...one.output, ...change } };
}

function otherAnswer(
  output: Extract<Operation, { op: "write" }>["output"],
  random: Random,
): Extract<Operation, { op: "write" }>["output"] {
  const others = [{ kind: "conflict" }, { kind: "nothing" }, { kind: "unknown" }] as const;
  if (output.kind !== "written") return random.pick(others);
  const { sequences = [] } = output;
  return random.pick([...others, { ...output, sequences: sequences.map((sequence) => sequence + 1) }]);
}
