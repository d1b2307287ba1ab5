import assert from "node:assert/strict";
import { tickEnd, tickIsLong } from "../../src/http/tick.ts";

Deno.test("work that never waits still lets other work run", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const endsAt = performance.now() + 300;
  while (performance.now() < endsAt) {
    // A read resolves in this way when bytes are already there.
    await Promise.resolve();
    while (tickIsLong()) await tickEnd();
  }
  clearInterval(timer);
  assert.ok(turns >= 3, `a timer had ${turns} turns`);
});

Deno.test("work that many callers start at the same time is spread over ticks", async () => {
  let [turns, done] = [0, 0];
  const timer = setInterval(() => turns++, 1);
  const work = async (): Promise<void> => {
    await Promise.resolve();
    while (tickIsLong()) await tickEnd();
    const endsAt = performance.now() + 3;
    while (performance.now() < endsAt);
    done++;
  };
  await Promise.all(Array.from({ length: 100 }, work));
  clearInterval(timer);
  assert.equal(done, 100);
  assert.ok(turns >= 5, `a timer had ${turns} turns`);
});
