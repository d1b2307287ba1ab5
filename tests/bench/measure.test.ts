import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { Histogram } from "../../bench/histogram.ts";
import { measureClients, measuredOver, type Round } from "../../bench/measure.ts";

function roundOf(milliseconds: number, requests: number, events: number): Round {
  const latencies = new Histogram();
  for (let i = 0; i < requests; i++) latencies.add(milliseconds);
  return { seconds: 1, events, latencies };
}

Deno.test("the rounds of a row count together, and quantiles are taken over all of their requests", () => {
  const fast = roundOf(0.1, 99, 990);
  const slow = roundOf(0.12, 1, 10);
  assert.deepEqual(measuredOver([fast, slow]), {
    eventsPerSecond: 500,
    requestsPerSecond: 50,
    p50Milliseconds: 0.1,
    p99Milliseconds: 0.1,
    p999Milliseconds: 0.12,
  });
  assert.equal(measuredOver([fast, slow, slow]).p99Milliseconds, 0.12);
});

Deno.test("CPU time is that of each request over all rounds, memory that of the largest round", () => {
  const usage = { serverCpuSeconds: 0.2, clientCpuSeconds: 0.1, serverRssBytes: 5 };
  const measured = measuredOver([
    { ...roundOf(1, 3000, 3000), usage },
    { ...roundOf(1, 1000, 1000), usage: { ...usage, serverRssBytes: 7 }, conflicts: 4 },
  ]);
  assert.equal(measured.serverMicroseconds, 100);
  assert.equal(measured.clientMicroseconds, 50);
  assert.equal(measured.serverRssBytes, 7);
  assert.equal(measured.conflictsPerSecond, 2);
  // A value of some rounds only would be wrong.
  assert.equal(
    measuredOver([{ ...roundOf(1, 1, 1), usage }, roundOf(1, 1, 1)]).serverMicroseconds,
    undefined,
  );
});

Deno.test("the CPU time of a process that is busy is that of the measured time", {
  ignore: Deno.build.os !== "linux",
}, async () => {
  const busy = async (): Promise<number> => {
    const until = performance.now() + 10;
    while (performance.now() < until);
    await delay(0);
    return 1;
  };
  const { usage } = await measureClients([busy], { warmUpSeconds: 0.1, seconds: 0.5, server: Deno.pid });
  // The machine may give this process much less than a whole core.
  assert.ok(usage!.clientCpuSeconds > 0 && usage!.clientCpuSeconds < 1, String(usage!.clientCpuSeconds));
  // The same process, seen from outside in steps of 10 ms.
  const difference = Math.abs(usage!.serverCpuSeconds - usage!.clientCpuSeconds);
  assert.ok(difference < 0.1, String(difference));
  assert.ok(usage!.serverRssBytes > 10_000_000);
});

Deno.test("requests of the warm-up are not counted", async () => {
  const startedAt = performance.now();
  let afterWarmUp = 0;
  const request = async (): Promise<number> => {
    await delay(5);
    if (performance.now() - startedAt >= 50) afterWarmUp++;
    return 2;
  };
  const round = await measureClients([request], { warmUpSeconds: 0.05, seconds: 0.5 });
  const counted = round.latencies.total;
  assert.ok(counted >= 1);
  // The last request may have ended after the time was up, and the clocks of test and round differ a little.
  assert.ok(counted >= afterWarmUp - 2 && counted <= afterWarmUp + 1, `${counted} of ${afterWarmUp}`);
  assert.equal(round.events, 2 * counted);
});
