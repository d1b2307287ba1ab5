import assert from "node:assert/strict";
import type { Condition } from "../../../../src/model/condition.ts";
import { CheckBudget, OverBudget } from "../../../../src/store/sqlite/reading/check_budget.ts";
import type { StoreWrite } from "../../../../src/store/api/write.ts";
import { newEvent, queryOf, storeWrite, tag } from "../../made_writes.ts";
import type { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { kindOf, written } from "../../outcomes.ts";
import { TestStore, writerState } from "../../test_store.ts";

const COMMON = Array.from({ length: 18 }, (_, i) => tag(`n${i}`, "v"));

/** Events that all have eighteen tags in common, one of two types with its own tag, and one of many customers. */
function filled(): TestStore {
  const store = new TestStore();
  store.append(Array.from({ length: 6000 }, (_, i) => {
    const half = i % 2 === 0 ? "even" : "odd";
    return newEvent(half, [...COMMON, tag("half", half), tag("customer", String(i % 1000))]);
  }));
  return store;
}

/** No event is of this type and has this tag, but only a scan of all of them shows it. */
const COSTLY: Condition = {
  failIfEventsMatch: queryOf(["odd"], [...COMMON, tag("half", "even")]),
  afterSequence: 0,
};

/** Conditions of an ordinary decision, counting from an old event. */
const ORDINARY: Condition = {
  failIfEventsMatch: queryOf(["cancelled"], [tag("customer", "77")]),
  afterSequence: 5,
};

function trying(...conditions: Condition[]): StoreWrite {
  return { ...storeWrite([newEvent("new")], { conditions }), hasBudget: true };
}

/** Tries writes again until they have these results: on a loaded machine, even an ordinary write may take too long. */
function assertKinds(writer: Writer, writes: readonly StoreWrite[], expected: readonly string[]): void {
  for (let i = 0; i < 20; i++) {
    if (String(writer.group(writes).map(kindOf)) === String(expected)) return;
  }
  assert.deepEqual(writer.group(writes).map(kindOf), expected);
}

Deno.test("a write over budget is returned with nothing written, and the others of its group are not", () => {
  using store = filled();
  const writer = store.openWriter();
  const group = [trying(ORDINARY), trying(ORDINARY, COSTLY), trying(ORDINARY)];
  assertKinds(writer, group, ["written", "overBudget", "written"]);
  const { head } = writerState(writer);
  assert.equal(kindOf(writer.group([trying(COSTLY)])[0]), "overBudget");
  assert.equal(writerState(writer).head, head);
  const [last] = writer.group([{ ...trying(COSTLY), hasBudget: false }]);
  assert.equal(written(last).firstSequence, head + 1);
});

Deno.test("next to any number of writes over budget, the group still executes an ordinary one", () => {
  using store = filled();
  const writer = store.openWriter();
  const group = [...Array.from({ length: 20 }, () => trying(COSTLY)), trying(ORDINARY)];
  assertKinds(writer, group, [...Array(20).fill("overBudget"), "written"]);
});

Deno.test("a transaction that stays open over several calls has no budget", () => {
  using store = filled();
  const writer = store.openWriter();
  writer.begin();
  assert.equal(kindOf(writer.writeInside(trying(COSTLY))), "written");
  writer.rollback();
});

/** The number of steps that a write may make. */
function stepsOf(budget: CheckBudget, step: () => number): number {
  budget.beginWrite();
  for (let steps = 0;; steps++) {
    try {
      budget.spend(step());
    } catch (error) {
      assert.ok(error instanceof OverBudget);
      return steps;
    }
  }
}

Deno.test("each write has its own budget, all of a group share one, and a little is always left", () => {
  const budget = new CheckBudget(() => 0);
  const steps = [1000, 1000, 1000, 1000, 1000, 100].map((each) => stepsOf(budget, () => each));
  assert.deepEqual(steps, [2, 2, 2, 1, 0, 3]);
});

Deno.test("a step that takes far longer than estimated counts for more", () => {
  let now = 0;
  const budget = new CheckBudget(() => now);
  const lasting = (milliseconds: number) => (): number => {
    now += milliseconds;
    return 500;
  };
  assert.deepEqual([0.5, 2, 5].map((each) => stepsOf(budget, lasting(each))), [4, 4, 2]);
});

Deno.test("one step that took long does not put a write over budget, since the processor may have been busy", () => {
  let now = 0;
  const budget = new CheckBudget(() => now);
  // The budget of the group is used up before the last of these writes.
  for (let write = 0; write < 12; write++) {
    const lasting = [100, 0.1, 100].values();
    const steps = stepsOf(budget, () => {
      now += lasting.next().value ?? 0;
      return 10;
    });
    assert.equal(steps, 2, `write ${write}`);
  }
});

Deno.test("time that is skipped counts for no step", () => {
  let now = 0;
  const budget = new CheckBudget(() => now);
  const steps = stepsOf(budget, () => {
    now += 1000;
    budget.skipTime();
    return 500;
  });
  assert.equal(steps, 4);
});
