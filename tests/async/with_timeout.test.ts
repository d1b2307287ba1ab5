import assert from "node:assert/strict";
import { withTimeout } from "../../src/async/with_timeout.ts";

Deno.test("a promise that settles in time gives its value or its error", async () => {
  assert.equal(await withTimeout(Promise.resolve(1), 10_000, () => 2), 1);
  await assert.rejects(withTimeout(Promise.reject(new Error("broken")), 10_000, () => 2), /broken/);
});

Deno.test("when the time is over, the late result or error counts, and the work continues", async () => {
  const { promise, resolve } = Promise.withResolvers<number>();
  assert.equal(await withTimeout(promise, 1, () => 2), 2);
  const late = (): never => {
    throw new Error("late");
  };
  await assert.rejects(withTimeout(promise, 1, late), /late/);
  resolve(1);
  assert.equal(await promise, 1);
});
