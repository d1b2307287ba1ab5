import assert from "node:assert/strict";
import fc from "fast-check";
import type { Condition } from "../../../src/model/condition.ts";
import { ClientDisconnected } from "../../../src/model/errors.ts";
import type { NewEvent } from "../../../src/model/event.ts";
import { areOverBudget, preCheck } from "../../../src/store/core/pre_check.ts";
import type { ChunkRequest } from "../../../src/store/api/chunk.ts";
import { readChunk } from "../../../src/store/sqlite/reading/read_chunk.ts";
import { eventTerms } from "../../../src/store/core/index_terms.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { conditionFor, event } from "../arbitraries.ts";
import { firstBroken } from "../first_broken.ts";
import { newEvent, queryOf, storeWrite } from "../made_writes.ts";
import { conflictOf, DONE, kindOf } from "../outcomes.ts";
import { TestStore } from "../test_store.ts";

type ReadChunk = Store["reads"]["chunk"];

/** Reads of a store, one step in each chunk. `between` runs before each chunk and may change the store. */
function stepwise(store: TestStore, between: (chunk: number) => void): { chunk: ReadChunk; count: number } {
  const reads = {
    count: 0,
    chunk: (request: ChunkRequest) => {
      between(reads.count++);
      return Promise.resolve(
        readChunk(store.db, request, false, { millisecondsMax: 0, workMin: 0, slowMillisecondsMax: 250 }),
      );
    },
  };
  return reads;
}

Deno.test("pre-checked conditions agree with matches(), despite writes and resets meanwhile", async () => {
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
      const checked = await preCheck(reads, conditions, undefined);
      // The store may also change between the last check and the transaction.
      for (const step of steps) change(step);
      const last = storeWrite([], { conditions: checked });
      const [tried] = writer.group([{ ...last, hasBudget: true }]);
      const [outcome] = kindOf(tried) === "overBudget" ? writer.group([last]) : [tried];
      const broken = firstBroken(stored, conditions);
      if (broken === undefined) assert.equal(kindOf(outcome), "written");
      else assert.deepEqual(conflictOf(outcome), broken);
    }),
    { numRuns: 80 },
  );
});

Deno.test("the transaction checks only events that were written since the pre-check", async () => {
  using store = new TestStore();
  let writer = store.openWriter();
  writer.group([storeWrite(Array.from({ length: 1000 }, () => newEvent("old")))]);
  // After a restart the writer remembers nothing.
  writer = store.openWriter();
  const conditions = ["absent", "old"].map((type) => ({
    failIfEventsMatch: queryOf([type]),
    afterSequence: 0,
  }));
  const [absent, failing] = await preCheck(stepwise(store, () => {}), conditions, undefined);
  assert.deepEqual([absent!.checked?.upTo, failing!.checked?.upTo], [1000, 0]);
  // Without the pre-check's knowledge, an old event becomes one that matches. A transaction that searched it would
  // find it.
  store.db.run('UPDATE event SET body = replace(body, \'"type":"old"\', \'"type":"absent"\')');
  store.db.run("INSERT INTO event_term (rowid, terms) VALUES (1000, ?)", eventTerms(newEvent("absent")));
  const kinds = [absent!, conditions[0]!].map((condition) =>
    kindOf(writer.group([storeWrite([], { conditions: [condition] })])[0])
  );
  assert.deepEqual(kinds, ["written", "conflict"]);
});

Deno.test("conditions of many values are pre-checked at once; all others are tried in the transaction", () => {
  const naming = (count: number): Condition => ({
    failIfEventsMatch: queryOf(Array.from({ length: count }, (_, i) => `type ${i}`)),
    afterSequence: 0,
  });
  assert.equal(areOverBudget([naming(100), naming(100)]), false);
  assert.equal(areOverBudget([naming(100), naming(101)]), true, "what counts is the whole write");
  assert.equal(areOverBudget([{ failIfEventsMatch: "every", afterSequence: 0 }]), false);
});

/** Reads of a store, with a record of the requests. */
function recording(store: TestStore): { chunk: ReadChunk; requests: ChunkRequest[] } {
  const requests: ChunkRequest[] = [];
  const chunk = (request: ChunkRequest): ReturnType<ReadChunk> => {
    requests.push(request);
    return Promise.resolve(readChunk(store.db, request, false));
  };
  return { chunk, requests };
}

Deno.test("a condition that failed the pre-check is not searched for again in the transaction", async () => {
  using store = new TestStore();
  const writer = store.openWriter();
  writer.group([storeWrite([newEvent("old"), newEvent("wanted"), newEvent("old")])]);
  const conditions = ["absent", "wanted"].map((type) => ({
    failIfEventsMatch: queryOf([type]),
    afterSequence: 0,
  }));
  const checked = await preCheck(recording(store), conditions, undefined);
  assert.deepEqual(checked.map((each) => each.checked), [
    { storeId: store.storeId, upTo: 3, matched: false },
    { storeId: store.storeId, upTo: 1, matched: true },
  ]);
  // A transaction that searches would not find it any more.
  store.db.run('UPDATE event SET body = replace(body, \'"type":"wanted"\', \'"type":"other"\')');
  const outcome = (): ReturnType<typeof kindOf> =>
    kindOf(store.openWriter().group([storeWrite([], { conditions: checked })])[0]);
  assert.equal(outcome(), "conflict");
  assert.deepEqual(writer.reset(), DONE);
  assert.equal(outcome(), "written", "another store");
});

Deno.test("when one of many conditions fails, no event is searched twice", async () => {
  using store = new TestStore();
  const types = Array.from({ length: 100 }, (_, i) => `type ${i}`);
  // The last condition matches first, then others before it.
  store.append(
    [90, 40, 95, 7, 60].flatMap((i) => [...Array(500).fill("other"), `type ${i}`]).map((t) => newEvent(t)),
  );
  const conditions = types.map((type) => ({ failIfEventsMatch: queryOf([type]), afterSequence: 0 }));
  const reads = recording(store);
  const checked = await preCheck(reads, conditions, undefined);
  const place = checked.findIndex((each) => each.checked?.matched);
  assert.equal(place, 7);
  assert.equal(checked[7]!.checked?.upTo, 4 * 501 - 1);
  assert.deepEqual(new Set(checked.slice(0, 7).map((each) => each.checked?.upTo)), new Set([store.head]));
  const searched = reads.requests.filter(({ afterSequence, head }) => head !== afterSequence + 1);
  assert.deepEqual(searched.map(({ afterSequence }) => afterSequence), [0, 501, 1002, 2004]);
  assert.ok(reads.requests.length <= 4 + 3 * 7, `${reads.requests.length} reads`);
});

Deno.test("a second check continues where the first ended, except after a reset", async () => {
  using store = new TestStore();
  const writer = store.openWriter();
  const append = (type: string): unknown => writer.group([storeWrite([newEvent(type)])]);
  append("old");
  const conditions = ["a", "b"].map((type) => ({ failIfEventsMatch: queryOf([type]), afterSequence: 0 }));
  const first = await preCheck(recording(store), conditions, undefined);
  append("new");
  const reads = recording(store);
  const second = await preCheck(reads, first, undefined);
  assert.deepEqual(reads.requests.map(({ afterSequence }) => afterSequence), [1]);
  assert.deepEqual(second.map((each) => each.checked?.upTo), [2, 2]);
  writer.reset();
  append("b");
  const third = await preCheck(recording(store), second, undefined);
  assert.deepEqual(third, conditions);
});

for (
  const [what, after] of [
    ["a reset", { storeId: "new", head: 10, last: 10 }],
    ["a history that went back", { storeId: "old", head: 4990, last: 4990 }],
  ] as const
) {
  Deno.test(`${what} between two searches of a check: nothing is known`, async () => {
    const lines = new Uint8Array();
    const stores = [
      { storeId: "old", head: 5000, lines, events: 0, last: 4000, end: { hasMore: true } },
      { ...after, lines, events: 0, end: { hasMore: false } },
    ];
    const reads = { chunk: () => Promise.resolve(stores.length > 1 ? stores.shift()! : stores[0]!) };
    const conditions = Array.from(
      { length: 2 },
      () => ({ failIfEventsMatch: queryOf(["x"]), afterSequence: 0 }),
    );
    assert.deepEqual(await preCheck(reads, conditions, undefined), conditions);
  });
}

Deno.test("the check ends at its next chunk when the client disconnects", async () => {
  using store = new TestStore();
  store.append(Array.from({ length: 1000 }, () => newEvent("t")));
  const leaving = new AbortController();
  const reads = stepwise(store, (chunk) => chunk === 2 && leaving.abort());
  const wide = Array.from({ length: 50 }, (_, i) => queryOf([`absent ${i}`])).flat();
  const checking = preCheck(reads, [{ failIfEventsMatch: wide, afterSequence: 0 }], {
    disconnected: leaving.signal,
  });
  await assert.rejects(checking, ClientDisconnected);
  assert.equal(reads.count, 3);
});
