import assert from "node:assert/strict";
import { Semaphore } from "../../src/async/semaphore.ts";

Deno.test("a semaphore admits a limited number at once, in the order in which they came, even when some fail", async () => {
  const semaphore = new Semaphore(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const passing = ends.map(({ promise }, i) =>
    semaphore.pass(() => {
      begun.push(i);
      return promise;
    })
  );
  const settled = Promise.allSettled(passing);
  assert.deepEqual(begun, [0, 1]);
  ends[1]!.reject(new Error("failed"));
  await assert.rejects(passing[1]!, /failed/);
  ends[0]!.resolve(0);
  assert.equal(await passing[0], 0);
  assert.deepEqual(begun, [0, 1, 2, 3]);
  for (const { resolve } of ends) resolve(7);
  await settled;
  assert.deepEqual(begun, [0, 1, 2, 3, 4]);
  // Nothing waits, and two may enter again.
  const last = [semaphore.pass(() => Promise.resolve("a")), semaphore.pass(() => Promise.resolve("b"))];
  assert.deepEqual(await Promise.all(last), ["a", "b"]);
});
