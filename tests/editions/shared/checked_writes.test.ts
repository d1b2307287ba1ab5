import assert from "node:assert/strict";
import { CheckedWrites } from "../../../src/editions/shared/checked_writes.ts";
import type { EditionHost } from "../../../src/editions/edition.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import { done } from "../../../src/store/api/outcome.ts";
import type { AttemptResult, StoreWrite } from "../../../src/store/api/write.ts";
import { WriteQueue } from "../../../src/write_queue/write_queue.ts";
import { queryOf, storeWrite } from "../../store/made_writes.ts";
import { kindOf } from "../../store/outcomes.ts";

const WRITTEN: AttemptResult = {
  kind: "written",
  storeId: "store",
  firstSequence: 1,
  versions: { create: [], replace: [] },
};

interface Setup {
  readonly writes: CheckedWrites;
  /** The writes that were in a write transaction. */
  readonly turns: StoreWrite[];
  readonly reads: (readonly [ChunkRequest, isUrgent: boolean | undefined])[];
}

/** Creates a store whose head grows with each read. @param results the results of writes that have a budget */
function setUp(results: AttemptResult["kind"][], waitingMax = 10): Setup {
  const turns: StoreWrite[] = [];
  const reads: [ChunkRequest, boolean | undefined][] = [];
  const queue = new WriteQueue({
    runGroup: (group) => {
      turns.push(...group);
      return Promise.resolve(
        group.map(({ hasBudget }) =>
          done(hasBudget && results.shift() === "overBudget" ? { kind: "overBudget" as const } : WRITTEN)
        ),
      );
    },
    waitingMax,
    fullCode: "WriteQueueFull",
  });
  const chunk = (request: ChunkRequest, _: unknown, isUrgent?: boolean): Promise<Chunk> => {
    reads.push([request, isUrgent]);
    const last = 10 * reads.length;
    const nothing = { lines: new Uint8Array(), events: 0, end: { hasMore: false } };
    return Promise.resolve({ ...nothing, storeId: "store", head: last, last });
  };
  const host = { queue, store: { reads: { chunk } } } as unknown as EditionHost;
  return { writes: new CheckedWrites(host), turns, reads };
}

function writeNaming(types: number): StoreWrite {
  const failIfEventsMatch = Array.from({ length: types }, (_, i) => queryOf([`type ${i}`])).flat();
  return storeWrite([], { conditions: [{ failIfEventsMatch, afterSequence: 0 }] });
}

Deno.test("a write whose conditions cost little goes straight to its turn", async () => {
  const { writes, turns, reads } = setUp(["written"]);
  const { outcome } = await writes.write("write", writeNaming(100), undefined, 0);
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual([turns.length, reads.length], [1, 0]);
});

Deno.test("what turns out to be costly is checked by urgent reads, and only the last outcome is seen", async () => {
  const { writes, turns, reads } = setUp(["overBudget", "written"]);
  const { outcome } = await writes.write("write", writeNaming(1), undefined, 0);
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual(reads.map(([, isUrgent]) => isUrgent), [true]);
  assert.deepEqual(turns.map(({ conditions }) => conditions[0]!.checked?.upTo), [undefined, 10]);
});

Deno.test("many values are checked before the first turn", async () => {
  const { writes, turns, reads } = setUp([]);
  await writes.write("write", writeNaming(201), undefined, 0);
  assert.deepEqual([turns.length, reads.length], [1, 1]);
});

Deno.test("after three checks a write is given back no more, and each check goes on where the last ended", async () => {
  const { writes, turns, reads } = setUp(Array(10).fill("overBudget"));
  const { outcome } = await writes.write("write", writeNaming(1), undefined, 0);
  assert.equal(kindOf(outcome), "written");
  assert.deepEqual(reads.map(([{ afterSequence }]) => afterSequence), [0, 10, 20]);
  assert.deepEqual(turns.map(({ hasBudget = false }) => hasBudget), [true, true, true, false]);
});

Deno.test("costly writes count as waiting: when the queue is full, one more is rejected, but none of those let in", async () => {
  const { writes } = setUp(Array(10).fill("overBudget"), 2);
  const results = await Promise.allSettled(
    Array.from({ length: 5 }, () => writes.write("write", writeNaming(201), undefined, 0)),
  );
  const ends = results.map((result) => result.status === "fulfilled" ? "written" : result.reason.code);
  assert.deepEqual(ends, ["written", "written", "WriteQueueFull", "WriteQueueFull", "WriteQueueFull"]);
});
