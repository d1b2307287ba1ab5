import assert from "node:assert/strict";
import { measureClients, measuredOver } from "../../bench/measure.ts";

Deno.test("the rounds of a row count together, and quantiles are taken over all of their requests", () => {
  const fast = { seconds: 1, events: 990, latenciesMilliseconds: Array.from({ length: 99 }, () => 1) };
  const slow = { seconds: 1, events: 10, latenciesMilliseconds: [50] };
  assert.deepEqual(measuredOver([fast, slow]), {
    eventsPerSecond: 500,
    requestsPerSecond: 50,
    p50Milliseconds: 1,
    p99Milliseconds: 1,
  });
  assert.equal(measuredOver([fast, slow, slow]).p99Milliseconds, 50);
});

Deno.test("requests of the warm-up are not counted", async () => {
  const startedAt = performance.now();
  let afterWarmUp = 0;
  const request = async (): Promise<number> => {
    await new Promise((resolve) => setTimeout(resolve, 5));
    if (performance.now() - startedAt >= 50) afterWarmUp++;
    return 2;
  };
  const round = await measureClients([request], { warmUpSeconds: 0.05, seconds: 0.5 });
  const counted = round.latenciesMilliseconds.length;
  assert.ok(counted >= 1);
  // The last request may have ended after the time was up, and the clocks of test and round differ a little.
  assert.ok(counted >= afterWarmUp - 2 && counted <= afterWarmUp + 1, `${counted} of ${afterWarmUp}`);
  assert.equal(round.events, 2 * counted);
});
