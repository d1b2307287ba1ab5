import assert from "node:assert/strict";
import { Semaphore } from "../../../src/store/feed/semaphore.ts";

Deno.test("a turnstile lets so many through at once, in the order in which they came, whatever becomes of them", async () => {
  const turnstile = new Semaphore(2);
  const begun: number[] = [];
  const ends = Array.from({ length: 5 }, () => Promise.withResolvers<number>());
  const passing = ends.map(({ promise }, i) =>
    turnstile.pass(() => {
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
  // Nobody waits, and there is room for two again.
  const last = [turnstile.pass(() => Promise.resolve("a")), turnstile.pass(() => Promise.resolve("b"))];
  assert.deepEqual(await Promise.all(last), ["a", "b"]);
});
