import assert from "node:assert/strict";
import type { Chunk, ChunkRequest } from "../../src/store/api/chunk.ts";
import { done, type Outcome } from "../../src/store/api/outcome.ts";
import type { AttemptResult, StoreWrite } from "../../src/store/api/write.ts";
import { Admission } from "../../src/write_queue/admission.ts";
import { type EndedWrite, WriteQueue } from "../../src/write_queue/write_queue.ts";
import { queryOf, storeWrite } from "../store/made_writes.ts";
import { kindOf } from "../store/outcomes.ts";

const WRITTEN: AttemptResult = {
  kind: "written",
  storeId: "store",
  firstSequence: 1,
  versions: { create: [], replace: [] },
};

interface Setup {
  readonly write: (write: StoreWrite) => Promise<EndedWrite>;
  /** The writes that were in a write transaction. */
  readonly turns: StoreWrite[];
  readonly reads: (readonly [ChunkRequest, isUrgent: boolean | undefined])[];
}

/** Creates a store whose head grows with each read. @param results the results of writes that have a budget */
function setUp(results: AttemptResult["kind"][], waitingMax = 10): Setup {
  const turns: StoreWrite[] = [];
  const reads: [ChunkRequest, boolean | undefined][] = [];
  const chunk = (request: ChunkRequest, _: unknown, isUrgent?: boolean): Promise<Chunk> => {
    reads.push([request, isUrgent]);
    const last = 10 * reads.length;
    const nothing = { lines: new Uint8Array(), events: 0, end: { hasMore: false } };
    return Promise.resolve({ ...nothing, storeId: "store", head: last, last });
  };
  const group = (writes: readonly StoreWrite[]): Promise<Outcome<AttemptResult>[]> => {
    turns.push(...writes);
    return Promise.resolve(
      writes.map(({ hasBudget }) =>
        done(hasBudget && results.shift() === "overBudget" ? { kind: "overBudget" as const } : WRITTEN)
      ),
    );
  };
  const store = { writer: { group }, reads: { chunk } };
  const queue = new WriteQueue({ store, waitingMax, fullCode: "WriteQueueFull" });
  return { write: (write) => queue.write(new Admission("write"), write), turns, reads };
}

function writeNaming(types: number): StoreWrite {
  const failIfEventsMatch = Array.from({ length: types }, (_, i) => queryOf([`type ${i}`])).flat();
  return storeWrite([], { conditions: [{ failIfEventsMatch, afterSequence: 0 }] });
}

Deno.test("a write whose conditions cost little goes straight to its turn", async () => {
  const { write, turns, reads } = setUp(["written"]);
  const { outcome } = await write(writeNaming(100));
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual([turns.length, reads.length], [1, 0]);
});

Deno.test("what turns out to be costly is checked by urgent reads, and only the last outcome is seen", async () => {
  const { write, turns, reads } = setUp(["overBudget", "written"]);
  const { outcome } = await write(writeNaming(1));
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual(reads.map(([, isUrgent]) => isUrgent), [true]);
  assert.deepEqual(turns.map(({ conditions }) => conditions[0]!.checked?.upTo), [undefined, 10]);
});

Deno.test("many values are checked before the first turn", async () => {
  const { write, turns, reads } = setUp([]);
  await write(writeNaming(201));
  assert.deepEqual([turns.length, reads.length], [1, 1]);
});

Deno.test("after three checks a write is given back no more, and each check goes on where the last ended", async () => {
  const { write, turns, reads } = setUp(Array(10).fill("overBudget"));
  const { outcome } = await write(writeNaming(1));
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual(reads.map(([{ afterSequence }]) => afterSequence), [0, 10, 20]);
  assert.deepEqual(turns.map(({ hasBudget = false }) => hasBudget), [true, true, true, false]);
});

Deno.test("costly writes count as waiting: when the queue is full, one more is rejected, but none of those let in", async () => {
  const { write } = setUp(Array(10).fill("overBudget"), 2);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => write(writeNaming(201))),
  );
  const ends = results.map((result) => result.status === "fulfilled" ? "written" : result.reason.code);
  assert.deepEqual(ends, ["written", "written", "WriteQueueFull", "WriteQueueFull", "WriteQueueFull"]);
});
