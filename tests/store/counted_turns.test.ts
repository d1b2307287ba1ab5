import assert from "node:assert/strict";
import { CountedTurns } from "../../src/store/counted_turns.ts";
import type { Outcome } from "../../src/store/outcome.ts";
import type { StoreTurns } from "../../src/store/store.ts";
import { TurnCounts } from "../../src/store/turn_counts.ts";
import { EMPTY_WRITE } from "../../src/store/write.ts";

const FULL: Outcome<never> = { kind: "failed", reason: "full", cause: "diskFull" };
const NONE = { diskFull: 0, diskError: 0, locked: 0, lostFiles: 0, connection: 0, other: 0 };

/** Turns of which each ends as `outcome` says. */
function turnsThatEnd(outcome: () => Promise<Outcome<never>>): { turns: StoreTurns; counts: TurnCounts } {
  const turn = outcome as never;
  const names = ["deleteProjections", "reset", "setPaused", "optimize", "begin", "writeInside", "commit"];
  const inner = {
    ...Object.fromEntries(names.map((name) => [name, turn])),
    group: async (writes: readonly unknown[]) => {
      const ended = await outcome();
      return writes.map(() => ended);
    },
  } as unknown as StoreTurns;
  const counts = new TurnCounts();
  return { turns: new CountedTurns(inner, counts), counts };
}

Deno.test("each turn and each step that fails counts once, each write of a group for itself", async () => {
  const { turns, counts } = turnsThatEnd(() => Promise.resolve(FULL));
  assert.deepEqual(await turns.group([EMPTY_WRITE, EMPTY_WRITE]), [FULL, FULL]);
  assert.equal(counts.failed.diskFull, 2);
  const steps = [
    () => turns.deleteProjections(undefined),
    () => turns.reset(),
    () => turns.setPaused(1),
    () => turns.begin(),
    () => turns.writeInside(EMPTY_WRITE),
    () => turns.commit(),
  ];
  for (const [i, step] of steps.entries()) {
    assert.equal(await step(), FULL);
    assert.equal(counts.failed.diskFull, 3 + i);
  }
  assert.deepEqual(counts.failed, { ...NONE, diskFull: 8 });
});

Deno.test("what the server does by itself is no write of anybody", async () => {
  const { turns, counts } = turnsThatEnd(() => Promise.resolve(FULL));
  assert.equal(await turns.optimize(), FULL);
  assert.deepEqual(counts.failed, NONE);
});

Deno.test("when the writer dies, all writes of its group have failed", async () => {
  const { turns, counts } = turnsThatEnd(() => Promise.reject(new Error("died")));
  await assert.rejects(turns.group([EMPTY_WRITE, EMPTY_WRITE, EMPTY_WRITE]), /died/);
  assert.deepEqual(counts.failed, { ...NONE, other: 3 });
  assert.equal(counts.writesGrouped, 3);
});
