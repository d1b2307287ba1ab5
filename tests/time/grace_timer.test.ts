import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { GraceTimer } from "../../src/time/grace_timer.ts";

function keepBusy(milliseconds: number): void {
  const until = performance.now() + milliseconds;
  while (performance.now() < until);
}

function rung(milliseconds: number): { timer: GraceTimer; ringing: Promise<number> } {
  const startedAt = performance.now();
  const { promise, resolve } = Promise.withResolvers<number>();
  return {
    timer: new GraceTimer(milliseconds, () => resolve(performance.now() - startedAt)),
    ringing: promise,
  };
}

Deno.test("a timer rings after its time, not before", async () => {
  const after = await rung(50).ringing;
  assert.ok(after >= 49, `after ${after} ms`);
});

Deno.test("a late timer can still be stopped by an event that came meanwhile", async () => {
  let rang = false;
  const timer = new GraceTimer(20, () => rang = true);
  setTimeout(() => timer.stop(), 60);
  keepBusy(150);
  await delay(400);
  assert.equal(rang, false);
});

Deno.test("a timer rings at last, even in a process that is always late", async () => {
  const { ringing } = rung(10);
  const busy = setInterval(() => keepBusy(40), 5);
  const after = await ringing;
  clearInterval(busy);
  assert.ok(after < 10_000, `after ${after} ms`);
});
