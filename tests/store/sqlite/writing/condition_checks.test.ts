import assert from "node:assert/strict";
import fc from "fast-check";
import type { Condition } from "../../../../src/model/condition.ts";
import type { NewEvent } from "../../../../src/model/event.ts";
import type { Writer } from "../../../../src/store/sqlite/writing/writer.ts";
import { seededRandom } from "../../../support/test_seed.ts";
import { conditionFor, event } from "../../arbitraries.ts";
import { firstBroken } from "../../first_broken.ts";
import { newEvent, queryOf, storeWrite, tag } from "../../made_writes.ts";
import { conflictOf, DONE, kindOf, written } from "../../outcomes.ts";
import { TestStore, writerState } from "../../test_store.ts";
import { FAILING_INSERT } from "./failing.ts";

/** Its insert fails, as on a full disk or by a bug. */
const FAILING = newEvent("bad");

type Step =
  | { readonly kind: "group"; readonly writes: readonly { events: NewEvent[]; conditions: Condition[] }[] }
  | { readonly kind: "reset" | "restart" };

const shapes = fc.array(event, { minLength: 1, maxLength: 8 });

function stepsOn(known: readonly NewEvent[]): fc.Arbitrary<Step[]> {
  const write = fc.record({
    events: fc.array(fc.constantFrom(...known, FAILING), { maxLength: 4 }),
    conditions: fc.array(conditionFor(known), { maxLength: 3 }),
  });
  const group = fc.record({
    kind: fc.constant("group" as const),
    writes: fc.array(write, { minLength: 1, maxLength: 4 }),
  });
  return fc.array(
    fc.oneof(
      { arbitrary: group, weight: 12 },
      { arbitrary: fc.record({ kind: fc.constantFrom("reset" as const, "restart" as const) }), weight: 1 },
    ),
    { minLength: 5, maxLength: 60 },
  );
}

/** Runs a group one write at a time on the reference and expects the same outcomes of the writer. */
function runGroup(writer: Writer, stored: NewEvent[], { writes }: Extract<Step, { kind: "group" }>): void {
  const outcomes = writer.group(writes.map(({ events, conditions }) => storeWrite(events, { conditions })));
  assert.equal(outcomes.length, writes.length);
  const { head } = writerState(writer);
  for (const [i, { events, conditions }] of writes.entries()) {
    const outcome = outcomes[i];
    const broken = firstBroken(stored, conditions);
    if (broken !== undefined) {
      assert.deepEqual(conflictOf(outcome), broken);
    } else if (events.includes(FAILING)) {
      assert.deepEqual(outcome, { kind: "failed", reason: "marked to fail" });
    } else {
      assert.equal(written(outcome).firstSequence, stored.length + 1);
      stored.push(...events);
    }
    assert.ok(head >= stored.length);
  }
  assert.equal(head, stored.length);
}

Deno.test("conditions agree with matches() over random groups, conflicts, rollbacks, resets and restarts", () => {
  const runs = shapes.chain((known) => stepsOn(known));
  fc.assert(
    fc.property(runs, (steps) => {
      using store = new TestStore();
      store.db.script(FAILING_INSERT);
      let writer = store.openWriter();
      let stored: NewEvent[] = [];
      for (const step of steps) {
        if (step.kind === "group") runGroup(writer, stored, step);
        else if (step.kind === "restart") writer = store.openWriter();
        else {
          assert.deepEqual(writer.reset(), DONE);
          stored = [];
        }
      }
      const bodies = store.db.all("SELECT sequence FROM event ORDER BY sequence").map(([sequence]) =>
        sequence
      );
      assert.deepEqual(bodies, stored.map((_, i) => i + 1), "sequences have no gap");
    }),
    { numRuns: 40 },
  );
});

Deno.test("conditions agree with matches() while the memory of recent terms forgets its oldest half", () => {
  using store = new TestStore();
  const writer = store.openWriter();
  const random = seededRandom(7);
  const stored: NewEvent[] = [];
  const batch = (): NewEvent[] =>
    Array.from({ length: 100 }, (_, i) => {
      const unique = Array.from({ length: 19 }, (_, n) => tag(`u${n}`, `${stored.length + i}`));
      return {
        ...newEvent(`t${random(3)}`, [tag("rare", String(random(900))), ...unique]),
        metadata: unique.map(({ name, value }) => tag(name, `${value}m`)),
      };
    });
  const kinds = { conflict: 0, written: 0 };
  // Some 4,000 events of 40 terms: the memory turns over three times.
  while (stored.length < 4000) {
    for (let i = 0; i < 20; i++) {
      const rare = queryOf(random(2) === 0 ? [] : [`t${random(3)}`], [tag("rare", String(random(900)))]);
      const condition = { failIfEventsMatch: rare, afterSequence: random(stored.length + 1) };
      const [outcome] = writer.group([storeWrite([], { conditions: [condition] })]);
      const expected = firstBroken(stored, [condition]) === undefined ? "written" : "conflict";
      assert.equal(kindOf(outcome), expected, JSON.stringify(condition));
      kinds[expected]++;
    }
    const events = batch();
    writer.group([storeWrite(events)]);
    stored.push(...events);
  }
  assert.ok(kinds.conflict > 100 && kinds.written > 100, "both outcomes were met often");
});

for (const [memory, others] of [["knows of it", 20], ["has forgotten it", 2500]] as const) {
  Deno.test(`a condition fails on an event of the same group when the memory ${memory}`, () => {
    using store = new TestStore();
    const writer = store.openWriter();
    writer.group([storeWrite([newEvent("older")])]);
    const unlessThere = (type: string) =>
      storeWrite([newEvent("last")], {
        conditions: [{ failIfEventsMatch: queryOf([type]), afterSequence: 0 }],
      });
    const outcomes = writer.group([
      storeWrite([newEvent("wanted")]),
      storeWrite(Array.from({ length: others }, () => newEvent("other"))),
      unlessThere("wanted"),
      unlessThere("unknown"),
      unlessThere("last"),
    ]);
    const kinds = ["written", "written", "conflict", "written", "conflict"];
    assert.deepEqual(outcomes.map(kindOf), kinds);
    assert.equal(written(outcomes[3]).firstSequence, others + 3);
    const stored = store.db.all("SELECT sequence FROM event ORDER BY sequence").map(([sequence]) => sequence);
    assert.deepEqual(stored, Array.from({ length: others + 3 }, (_, i) => i + 1));
  });
}
