import assert from "node:assert/strict";
import fc from "fast-check";
import type { Condition } from "../../src/model/condition.ts";
import { ClientLeft } from "../../src/model/errors.ts";
import type { NewEvent } from "../../src/model/event.ts";
import { matches } from "../../src/model/query.ts";
import { AheadChecks } from "../../src/store/check_ahead.ts";
import type { ChunkRequest } from "../../src/store/chunk.ts";
import { readChunk } from "../../src/store/sqlite/reading/read_chunk.ts";
import { eventTerms } from "../../src/store/index_terms.ts";
import type { Store } from "../../src/store/store.ts";
import { conditionFor, event } from "./arbitraries.ts";
import { newEvent, queryOf, storeWrite, tag } from "./made_writes.ts";
import { conflictOf, DONE, kindOf } from "./outcomes.ts";
import { TestStore } from "./test_store.ts";

type ReadChunk = Store["reads"]["chunk"];

/** Reads of a store, one step in each chunk; `between` runs before each and may change the store. */
function stepwise(store: TestStore, between: (chunk: number) => void): { chunk: ReadChunk; count: number } {
  const reads = {
    count: 0,
    chunk: (request: ChunkRequest) => {
      between(reads.count++);
      return Promise.resolve(readChunk(store.db, request, { millisecondsMax: 0, microsecondsMin: 0 }));
    },
  };
  return reads;
}

/** Index of the first condition that fails on these events, or -1. */
function firstFailing(events: readonly NewEvent[], conditions: readonly Condition[]): number {
  return conditions.findIndex(({ failIfEventsMatch, afterSequence }) =>
    events.slice(afterSequence).some((candidate) => matches(failIfEventsMatch, candidate))
  );
}

Deno.test("conditions checked ahead get the verdict of matches(), whatever is written or reset meanwhile", async () => {
  const runs = fc.array(event, { minLength: 1, maxLength: 8 }).chain((known) =>
    fc.record({
      first: fc.array(fc.constantFrom(...known), { maxLength: 300 }),
      // Few positions, so that neighbours are searched for together.
      conditions: fc.array(
        conditionFor(known).map((condition) => ({
          ...condition,
          afterSequence: condition.afterSequence % 2 === 0 ? 0 : condition.afterSequence,
        })),
        { minLength: 1, maxLength: 6 },
      ),
      meanwhile: fc.array(
        fc.oneof(
          { arbitrary: fc.array(fc.constantFrom(...known), { maxLength: 3 }), weight: 8 },
          { arbitrary: fc.constant("reset" as const), weight: 1 },
        ),
        { maxLength: 12 },
      ),
    })
  );
  await fc.assert(
    fc.asyncProperty(runs, async ({ first, conditions, meanwhile }) => {
      using store = new TestStore();
      const writer = store.openWriter();
      let stored: NewEvent[] = [];
      const write = (events: readonly NewEvent[]): void => {
        assert.equal(kindOf(writer.group([storeWrite(events)])[0]), "written");
        stored.push(...events);
      };
      const change = (step: (typeof meanwhile)[number]): void => {
        if (step !== "reset") return write(step);
        assert.deepEqual(writer.reset(), DONE);
        stored = [];
      };
      write(first);
      const steps = [...meanwhile];
      const reads = stepwise(store, () => steps.length > 0 && change(steps.shift()!));
      const checked = await new AheadChecks(reads, 0).check(conditions, undefined);
      // Something may also come between the last check and the turn.
      for (const step of steps) change(step);
      const [outcome] = writer.group([storeWrite([], { conditions: checked })]);
      const failing = firstFailing(stored, conditions);
      if (failing < 0) assert.equal(kindOf(outcome), "written");
      else {
        assert.deepEqual(conflictOf(outcome), {
          list: "conditions",
          index: failing,
          cause: "eventMatches",
        });
      }
    }),
    { numRuns: 80 },
  );
});

Deno.test("the turn looks only at events that were written since a condition was checked", async () => {
  using store = new TestStore();
  let writer = store.openWriter();
  writer.group([storeWrite(Array.from({ length: 1000 }, () => newEvent("old")))]);
  // After a restart the writer remembers nothing.
  writer = store.openWriter();
  const conditions = ["absent", "old"].map((type) => ({
    failIfEventsMatch: queryOf([type]),
    afterSequence: 0,
  }));
  const ahead = new AheadChecks(stepwise(store, () => {}), 0);
  const [absent, failing] = await ahead.check(conditions, undefined);
  assert.deepEqual([absent!.checked?.upTo, failing!.checked?.upTo], [1000, 0]);
  // Behind the back of the check, an old event becomes one that matches: a turn that looked at it would see that.
  store.db.run('UPDATE event SET body = replace(body, \'"type":"old"\', \'"type":"absent"\')');
  store.db.run("INSERT INTO event_term (rowid, terms) VALUES (1000, ?)", eventTerms(newEvent("absent")));
  const kinds = [absent!, conditions[0]!].map((condition) =>
    kindOf(writer.group([storeWrite([], { conditions: [condition] })])[0])
  );
  assert.deepEqual(kinds, ["written", "conflict"]);
});

Deno.test("only conditions that cost much are checked ahead: many values, or lists to intersect from far back", () => {
  const ahead = new AheadChecks({ chunk: () => Promise.reject(new Error("read")) }, 100_000);
  const types = (count: number): string[] => Array.from({ length: count }, (_, i) => `type ${i}`);
  const cases: readonly [types: string[], tags: string[], after: number, costly: boolean][] = [
    [types(1), [], 0, false],
    [types(20), [], 0, false],
    [types(100), [], 0, true],
    [types(100), [], 99_500, false],
    [types(1), ["1"], 99_500, false],
    [types(1), ["1"], 0, true],
    [[], ["1", "2"], 50_000, true],
  ];
  for (const [types, tags, afterSequence, costly] of cases) {
    const failIfEventsMatch = queryOf(types, tags.map((value) => tag("n", value)));
    assert.equal(ahead.areCostly([{ failIfEventsMatch, afterSequence }]), costly);
  }
  const few = { failIfEventsMatch: queryOf(types(10)), afterSequence: 0 };
  assert.equal(ahead.areCostly([few]), false);
  assert.equal(ahead.areCostly(Array(10).fill(few)), true, "what counts is the whole write");
  assert.equal(ahead.areCostly([{ failIfEventsMatch: "every", afterSequence: 0 }]), false);
  ahead.noteHead(10);
  assert.equal(ahead.areCostly([{ failIfEventsMatch: queryOf(types(100)), afterSequence: 0 }]), false);
});

Deno.test("the check ends at its next chunk when the client leaves", async () => {
  using store = new TestStore();
  store.append(Array.from({ length: 1000 }, () => newEvent("t")));
  const leaving = new AbortController();
  const reads = stepwise(store, (chunk) => chunk === 2 && leaving.abort());
  const wide = Array.from({ length: 50 }, (_, i) => queryOf([`absent ${i}`])).flat();
  const checking = new AheadChecks(reads, 0).check([{ failIfEventsMatch: wide, afterSequence: 0 }], {
    left: leaving.signal,
  });
  await assert.rejects(checking, ClientLeft);
  assert.equal(reads.count, 3);
});
