import type { AskedQuery, Call, Condition, History, LoggedEvent, WriteCall } from "../order/history.ts";
import type { Operation, ReadOperation, WriteCondition, WriteOperation } from "./operations.ts";

/** Translates a history of the check `order`. Its log becomes a final read of all events. */
export function translated({ calls, log }: History): Operation[] {
  const labels = labelled(log);
  const end = Math.max(0, ...calls.map(({ ended }) => ended)) + 1;
  const labelOf = new Map(log.map(({ sequence }, i) => [sequence, labels[i]!.label]));
  const operations = calls.map((call): Operation =>
    call.kind === "read" ? read(call, labelOf) : write(call, labels.filter((event) => event.call === call.id))
  );
  const everything = log.map(({ sequence }, i) => [sequence, labels[i]!.label] as const);
  return [...operations, {
    op: "read",
    client: 0,
    call: end,
    return: end,
    input: { tags: null, after: 0, strict: true },
    output: { head: log.length, events: everything },
  }];
}

interface Labelled {
  readonly call: number;
  readonly label: string;
  readonly tags: readonly string[];
}

/** The first event of call 7 is "7.0". */
function labelled(log: readonly LoggedEvent[]): Labelled[] {
  const counts = new Map<number, number>();
  return log.map(({ call, type, identifiers }) => {
    const count = counts.get(call) ?? 0;
    counts.set(call, count + 1);
    return { call, label: `${call}.${count}`, tags: tagsOf({ types: [type], identifiers }) };
  });
}

function tagsOf(
  { types = [], identifiers = [] }: Exclude<AskedQuery, "every">[number],
): string[] {
  if (types.length > 1) throw new Error("a query for one of several types is no list of tags");
  return [
    ...types.map((type) => `type ${type}`),
    ...identifiers.map(({ name, value }) => `${name}=${value}`),
  ];
}

function tagsOfQuery(query: AskedQuery): string[] | null {
  if (query === "every") return null;
  if (query.length !== 1) throw new Error("a query with several items is no list of tags");
  return tagsOf(query[0]!);
}

function timed({ id, begun, ended }: Call): { client: number; call: number; return: number } {
  return { client: id, call: begun, return: ended };
}

function read(call: Extract<Call, { kind: "read" }>, labelOf: ReadonlyMap<number, string>): ReadOperation {
  const { query, after, limit, isBackwards, sequences, hasMore, head } = call;
  return {
    op: "read",
    ...timed(call),
    input: {
      tags: tagsOfQuery(query),
      after,
      strict: true,
      backwards: isBackwards,
      ...limit === Infinity ? {} : { limit },
    },
    output: {
      ...head === undefined ? {} : { head },
      events: sequences.map((sequence) => [sequence, labelOf.get(sequence) ?? "not in the log"]),
      hasMore,
    },
  };
}

function write(call: Extract<Call, { kind: "write" }>, its: readonly Labelled[]): WriteOperation {
  const events = Array.from({ length: call.events }, (_, i) => ({
    label: `${call.id}.${i}`,
    tags: its[i]?.tags ?? [],
  }));
  return {
    op: "write",
    ...timed(call),
    input: { conditions: call.conditions.map(conditionOf), events },
    output: outputOf(call),
  };
}

function conditionOf({ query, ...basis }: Condition): WriteCondition {
  return { tags: tagsOfQuery(query), ...basis };
}

function outputOf({ outcome }: WriteCall): WriteOperation["output"] {
  switch (outcome.kind) {
    case "accepted":
      return {
        kind: "written",
        ...outcome.sequences === undefined ? {} : { sequences: outcome.sequences },
      };
    case "conflict":
      return outcome;
    case "takenBack":
      return { kind: "nothing" };
  }
}
