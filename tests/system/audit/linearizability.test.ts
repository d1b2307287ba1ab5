import assert from "node:assert/strict";
import type { Verdict } from "../../../audit/linearizability/checker.ts";
import type { Operation, ReadOperation } from "../../../audit/linearizability/operations.ts";
import { Random } from "../../../audit/workload/random.ts";
import { madeOperations } from "../../audit/made_operations.ts";
import { RIGHT, three, WRONG } from "./small_histories.ts";
import { linearizabilityTest } from "./with_checker.ts";

const PLANS = [
  { operations: 10_000, clients: 16, forks: 0, lost: 0, stale: 0 },
  { operations: 10_000, clients: 16, forks: 5, lost: 0.001, stale: 0.5 },
] as const;

await linearizabilityTest("right histories are linearizable, with and without shortcuts", async (checker) => {
  for (const [name, history] of Object.entries(RIGHT)) {
    for (const isPlain of [false, true]) {
      const { verdict, account } = await checker.check(history, { isPlain });
      assert.equal(verdict, "linearizable", `${name}, isPlain ${isPlain}: ${account.join("\n")}`);
    }
  }
});

await linearizabilityTest(
  "for each kind of mistake the account ends with the operation that cannot come next",
  async (checker) => {
    for (const [name, history] of Object.entries(WRONG)) {
      for (const isPlain of [false, true]) {
        const { verdict, account } = await checker.check(history, { isPlain });
        assert.equal(verdict, "violation", `${name}, isPlain ${isPlain}`);
        assert.match(account[0]!, /^\d+ of \d+ operations have an order/);
        assert.match(account.at(-1)!, /^ {2}(line \d+, client -?\d+, \d+ to (\d+|never): |the end)/, name);
      }
    }
  },
);

await linearizabilityTest("the shortcuts of the search change no verdict", async (checker) => {
  const verdicts = new Map<Verdict["verdict"], number>();
  for (let seed = 0; seed < 150; seed++) {
    const random = new Random(seed);
    const plan = {
      operations: 15 + random.below(15),
      clients: 3,
      forks: random.below(3),
      lost: 0.15,
      stale: 0.4,
    };
    const right = madeOperations(random, plan);
    assert.equal((await checker.check(right)).verdict, "linearizable", `seed ${seed}`);
    const other = altered(right, random);
    const { verdict, account } = await checker.check(other);
    const plain = await checker.check(other, { isPlain: true });
    assert.equal(verdict, plain.verdict, `seed ${seed}: ${[...account, ...plain.account].join("\n")}`);
    verdicts.set(verdict, (verdicts.get(verdict) ?? 0) + 1);
  }
  for (const verdict of ["linearizable", "violation"] as const) {
    assert.ok(verdicts.get(verdict)! >= 30, verdict);
  }
});

await linearizabilityTest(
  "10,000 operations of 16 clients are decided, and one mistake in them is found",
  async (checker) => {
    for (const plan of PLANS) {
      const right = madeOperations(new Random(3), plan);
      const { verdict, account } = await checker.check(right, { timeoutSeconds: 300 });
      assert.equal(verdict, "linearizable", account.join("\n"));
      const at = right.findIndex((one, i) => i > 3000 && one.op === "read" && one.output.events.length > 1);
      const read = right[at] as ReadOperation;
      const wrong = right.with(at, {
        ...read,
        output: { ...read.output, events: read.output.events.slice(1) },
      });
      assert.equal((await checker.check(wrong, { timeoutSeconds: 300 })).verdict, "violation");
    }
  },
);

await linearizabilityTest("a search that takes too long is undecided", async (checker) => {
  const history = madeOperations(new Random(4), {
    operations: 3000,
    clients: 16,
    forks: 0,
    lost: 0.3,
    stale: 0.5,
  });
  const { verdict, account } = await checker.check(history, { isPlain: true, timeoutSeconds: 1 });
  assert.equal(verdict, "undecided");
  assert.match(account.join(), /it takes longer than 1s|it needs more than 2048 MB/);
});

await linearizabilityTest(
  "a write with an unknown outcome in a lost part of a store explains what was read there, and nothing else",
  async (checker) => {
    const events = [{ label: "lost", tags: ["a"] }];
    const kept = [{ label: "kept", tags: ["a"] }];
    const page = { tags: ["b"], after: 0 };
    const verdictOf = async (store: string, after: number): Promise<string> => {
      const { verdict } = await checker.check([
        {
          op: "write",
          client: 1,
          call: 1,
          return: 2,
          input: { events: kept },
          output: { kind: "written", store: "S", sequences: [1] },
        },
        // The event was not in the page, but the head was its sequence.
        {
          op: "read",
          client: 2,
          call: 4,
          return: 5,
          input: page,
          output: { store: "S", head: 2, events: [] },
        },
        {
          op: "write",
          client: 1,
          call: 3,
          return: null,
          input: { events },
          output: { kind: "unknown", store, after },
        },
        { op: "fork", client: -1, call: 6, return: 7, input: {}, output: { store: "T", kept: 1 } },
      ]);
      return verdict;
    };
    assert.equal(await verdictOf("S", 1), "linearizable");
    assert.equal(await verdictOf("S", 2), "violation");
    assert.equal(await verdictOf("T", 1), "violation");
  },
);

await linearizabilityTest(
  "an invalid history gets no verdict but an error with the line",
  async (checker) => {
    const invalid: readonly [unknown, RegExp][] = [
      [{ ...three[0], op: "delete" }, /line 2: op is write, read or fork, not "delete"/],
      [{ ...three[0], call: undefined }, /line 2: call is missing/],
      [{ ...three[0], return: -1 }, /line 2: return is before call/],
      [{ ...three[0], return: null }, /line 2: a write that was answered has a return/],
      [{ ...three[0], output: { kind: "maybe" } }, /line 2: kind is written, conflict, nothing or unknown/],
      [{ ...three[0], returned: 1 }, /line 2: json: unknown field "returned"/],
    ];
    for (const [line, message] of invalid) {
      await assert.rejects(checker.check([three[1]!, line as Operation]), message);
    }
    await assert.rejects(checker.check([]), /a history without operations shows nothing/);
  },
);

/** Changes one answer or one time of a history, which may stay right or not. */
function altered(history: readonly Operation[], random: Random): Operation[] {
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
