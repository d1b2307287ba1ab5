import assert from "node:assert/strict";
import { nextTick, tickIsLong } from "../../../src/http/transport/tick.ts";

Deno.test("work that never waits for anything lets others have their turn", async () => {
  let turns = 0;
  const timer = setInterval(() => turns++, 1);
  const endsAt = performance.now() + 300;
  while (performance.now() < endsAt) {
    // What a read does that finds bytes waiting.
    await Promise.resolve();
    if (tickIsLong()) await nextTick();
  }
  clearInterval(timer);
  assert.ok(turns >= 3, `a timer had ${turns} turns`);
});
