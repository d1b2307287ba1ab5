import type { Operation, ReadOperation, WriteCondition } from "../../../audit/linearizability/operations.ts";

type Output = Extract<Operation, { op: "write" }>["output"];
type Seen = readonly (readonly [number, string])[];

const A = ["a"];
const conflict: Output = { kind: "conflict" };
const nothing: Output = { kind: "nothing" };
const unknown: Output = { kind: "unknown" };
const written = (...sequences: readonly number[]): Output => writtenIn("s", ...sequences);
const writtenIn = (store: string, ...sequences: readonly number[]): Output => ({
  kind: "written",
  store,
  sequences,
});

/** Each label is an event with the tag "a", or the tags after its colon: "x:b,c". */
function write(
  [call, end]: readonly [number, number | null],
  labels: string,
  output: Output,
  condition: WriteCondition | null = null,
): Operation {
  const events = labels.split(" ").map((text) => {
    const [label, tags = "a"] = text.split(":");
    return { label: label!, tags: tags.split(",") };
  });
  return { op: "write", client: 1, call, return: end, input: { condition, events }, output };
}

function read(
  [call, end]: readonly [number, number],
  head: number,
  events: Seen,
  { store = "s", ...input }: Partial<ReadOperation["input"]> & { readonly store?: string } = {},
): Operation {
  const all = { tags: null, after: 0, ...input };
  return { op: "read", client: 2, call, return: end, input: all, output: { store, head, events } };
}

const fork = ([call, end]: readonly [number, number], store: string, kept: number): Operation => ({
  op: "fork",
  client: -1,
  call,
  return: end,
  input: {},
  output: { store, kept },
});

const strict = { strict: true } as const;
/** The history with which most others begin: three acknowledged writes. */
export const three = [
  write([0, 1], "x", written(1)),
  write([2, 3], "y:b", written(2)),
  write([4, 5], "z:a,b", written(3)),
];

/** Histories that are linearizable. */
export const RIGHT: Readonly<Record<string, readonly Operation[]>> = {
  "writes and a read of everything": [...three, read([6, 7], 3, [[1, "x"], [2, "y"], [3, "z"]], strict)],
  "a read of some tags": [...three, read([6, 7], 3, [[3, "z"]], { tags: ["a", "b"], ...strict })],
  "a read after a position": [...three, read([6, 7], 3, [[3, "z"]], { tags: A, after: 1, ...strict })],
  "a stale read": [...three, read([6, 7], 1, [[1, "x"]])],
  "a read during a write sees it": [write([0, 9], "x", written(1)), read([1, 2], 1, [[1, "x"]], strict)],
  "a read during a write does not see it": [write([0, 9], "x", written(1)), read([1, 2], 0, [], strict)],
  "a condition that holds": [...three, write([6, 7], "n", written(4), { after: 2, store: "s", tags: ["c"] })],
  "a conflict": [...three, write([6, 7], "n", conflict, { after: 2, store: "s", tags: A })],
  "a conflict with an event of a write at the same time": [
    write([0, 9], "x", written(1)),
    write([1, 8], "n", conflict, { tags: A }),
  ],
  "a conflict that names its event": [
    ...three,
    write([6, 7], "n", { kind: "conflict", condition: 0, sequence: 3 }, { after: 1, store: "s", tags: A }),
  ],
  "a condition about a position beyond the end conflicts": [
    ...three,
    write([6, 7], "n", conflict, { after: 9, store: "s", tags: ["c"] }),
  ],
  "a condition about another store conflicts": [
    ...three,
    write([6, 7], "n", conflict, { after: 3, store: "other", tags: ["c"] }),
  ],
  "an unanswered write appears later": [
    write([0, null], "x", unknown),
    read([1, 2], 0, [], strict),
    read([3, 4], 1, [[1, "x"]], strict),
  ],
  "an unanswered write never appears": [
    write([0, null], "x", unknown),
    write([1, 2], "y", written(1)),
    read([3, 4], 1, [[1, "y"]], strict),
  ],
  "an unanswered write fills the gap before another": [
    write([0, null], "x y", unknown),
    write([1, 2], "z", written(3)),
    read([3, 4], 3, [[1, "x"], [2, "y"], [3, "z"]], strict),
  ],
  "an unanswered write that no read shows explains a conflict": [
    write([0, null], "x:a,b", unknown),
    write([1, 2], "n", conflict, { tags: ["b"] }),
  ],
  "a write that was given up": [write([0, 1], "x", nothing), write([2, 3], "y", written(1))],
  "after a fork the sequences begin anew": [
    ...three,
    fork([6, 7], "t", 1),
    write([8, 9], "n", writtenIn("t", 2), { after: 1, store: "t", tags: A }),
    read([10, 11], 2, [[1, "x"], [2, "n"]], { store: "t", ...strict }),
  ],
  "after a fork a stale read of the old store": [
    ...three,
    fork([6, 7], "t", 1),
    read([8, 9], 3, [[1, "x"], [2, "y"], [3, "z"]]),
  ],
  "after a fork a condition about the old store conflicts": [
    ...three,
    fork([6, 7], "t", 1),
    write([8, 9], "n", conflict, { after: 3, store: "s", tags: ["c"] }),
  ],
  "an event with a tag twice": [write([0, 1], "x:a,a", written(1)), read([2, 3], 1, [[1, "x"]], { tags: A })],
  "one moment in common is enough": [write([0, 5], "x", written(2)), write([5, 6], "y", written(1))],
};

/** Histories that are not linearizable, one for each kind of mistake. */
export const WRONG: Readonly<Record<string, readonly Operation[]>> = {
  "an acknowledged write is lost": [...three, read([6, 7], 2, [[1, "x"], [2, "y"]], strict)],
  "an acknowledged write is lost, and its sequence given out again": [
    ...three,
    write([6, 7], "n", written(3)),
  ],
  "a sequence is skipped": [...three, write([6, 7], "n", written(5))],
  "a write is accepted although its condition is broken": [
    ...three,
    write([6, 7], "n", written(4), { after: 1, store: "s", tags: A }),
  ],
  "a write is accepted although its condition is beyond the end": [
    ...three,
    write([6, 7], "n", written(4), { after: 4, store: "s", tags: ["c"] }),
  ],
  "a write is accepted about another store": [
    ...three,
    write([6, 7], "n", written(4), { after: 3, store: "other", tags: ["c"] }),
  ],
  "a conflict although nothing matches": [
    ...three,
    write([6, 7], "n", conflict, { after: 3, store: "s", tags: A }),
  ],
  "a conflict with an event that comes later": [
    write([0, 1], "n", conflict, { tags: A }),
    write([2, 3], "x", written(1)),
  ],
  "a conflict names another event than the first": [
    ...three,
    write([6, 7], "n", { kind: "conflict", condition: 0, sequence: 3 }, { store: "s", tags: A }),
  ],
  "a read has a hole": [...three, read([6, 7], 3, [[1, "x"], [3, "z"]])],
  "a read has an event that does not match": [
    ...three,
    read([6, 7], 3, [[1, "x"], [2, "y"], [3, "z"]], { tags: A }),
  ],
  "a read sees another event": [...three, read([6, 7], 2, [[1, "x"], [2, "z"]])],
  "a read goes beyond the end": [...three, read([6, 7], 4, [[1, "x"], [2, "y"], [3, "z"]])],
  "a read sees an event before its write begins": [
    read([0, 1], 1, [[1, "x"]]),
    write([2, 3], "x", written(1)),
  ],
  "a read sees half of a write": [write([0, 1], "x y", written(1, 2)), read([2, 3], 1, [[1, "x"]])],
  "a strict read is stale": [...three, read([6, 7], 2, [[1, "x"], [2, "y"]], strict)],
  "two strict reads see time go back": [
    write([0, 9], "x", written(1)),
    read([1, 2], 1, [[1, "x"]], strict),
    read([3, 4], 0, [], strict),
  ],
  "a conflict was seen, and then not its event": [
    write([0, 9], "x", written(1)),
    write([1, 2], "n", conflict, { tags: A }),
    read([3, 4], 0, [], strict),
  ],
  "a write that was given up appears": [write([0, 1], "x", nothing), read([2, 3], 1, [[1, "x"]])],
  "an unanswered write appears twice": [
    write([0, null], "x", unknown),
    read([3, 4], 2, [[1, "x"], [2, "x"]], strict),
  ],
  "an unanswered write appears and is gone": [
    write([0, null], "x", unknown),
    read([1, 2], 1, [[1, "x"]], strict),
    read([3, 4], 0, [], strict),
  ],
  "an unanswered write appears although its condition was broken": [
    ...three,
    write([6, null], "n", unknown, { after: 1, store: "s", tags: A }),
    read([8, 9], 4, [[4, "n"]], { after: 3, ...strict }),
  ],
  "sequences are given out twice without a new store": [
    ...three,
    write([6, 7], "m", written(2)),
    read([8, 9], 2, [[1, "x"], [2, "m"]], strict),
  ],
  "after a fork a condition about the old store is accepted": [
    ...three,
    fork([6, 7], "t", 1),
    write([8, 9], "n", writtenIn("t", 2), { after: 3, store: "s", tags: ["c"] }),
  ],
  "after a fork a condition beyond the end is accepted": [
    ...three,
    fork([6, 7], "t", 1),
    write([8, 9], "n", writtenIn("t", 2), { after: 3, tags: ["c"] }),
  ],
  "after a fork the old store is still written to": [
    ...three,
    fork([6, 7], "t", 1),
    write([8, 9], "n", written(4)),
  ],
  "after a fork a read of the new store has a lost event": [
    ...three,
    fork([6, 7], "t", 1),
    read([8, 9], 2, [[1, "x"], [2, "y"]], { store: "t" }),
  ],
  "a fork keeps what was never written": [...three, fork([6, 7], "t", 4)],
  "a fork keeps half of a write": [write([0, 1], "x y", written(1, 2)), fork([2, 3], "t", 1)],
  "a fork begins a store that has been before": [...three, fork([6, 7], "t", 1), fork([8, 9], "s", 1)],
  "a store that no fork has begun": [...three, read([6, 7], 0, [], { store: "other" })],
  "two moments apart is too late": [write([0, 5], "x", written(2)), write([6, 7], "y", written(1))],
};
