import assert from "node:assert/strict";
import { Combination, combinations } from "../../audit/faults/combinations.ts";
import { Random } from "../../audit/workload/random.ts";

/** What is tried of a call that is made so many times. */
function tried(combination: Combination, calls: number): number[] {
  const all: number[] = [];
  for (let n = combination.next(); n !== undefined; n = combination.next()) {
    all.push(n);
    if (n > calls) combination.untouched(n);
  }
  return all;
}

Deno.test("each call that is made fails once, and those that are never made cost little", () => {
  for (const calls of [0, 1, 3, 6, 9]) {
    for (let seed = 0; seed < 50; seed++) {
      const combination = new Combination("write", "fsync", "EIO", false, new Random(seed));
      const all = tried(combination, calls);
      const met = all.filter((n) => n <= calls).sort((a, b) => a - b);
      assert.deepEqual(met, Array.from({ length: calls }, (_, i) => i + 1));
      assert.equal(new Set(all).size, all.length);
      assert.ok(all.length <= Math.max(6, calls + 1), all.join());
    }
  }
});

Deno.test("every occasion meets every call, in an order that the seed gives, without end for no call", () => {
  const names = (seed: number): string[] =>
    combinations("C", new Random(seed)).map((one) => `${one.occasion} ${one.injection(2)}`);
  assert.deepEqual(names(1), names(1));
  assert.notDeepEqual(names(1), names(2));
  assert.equal(new Set(names(1)).size, 8 * 6 * 2 * 2);
  assert.ok(names(1).includes("reset ftruncate:error=ENOSPC:when=2+"));
  assert.ok(!combinations("A", new Random(1)).some(({ occasion }) => occasion === "optimize"));
  assert.equal(tried(combinations("A", new Random(1))[0]!, Infinity).length, 60);
});
