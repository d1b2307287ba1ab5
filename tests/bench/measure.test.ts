import { delay } from "../../src/async/delay.ts";
import assert from "node:assert/strict";
import { Histogram } from "../../bench/histogram.ts";
import { measureClients, measuredOver, type Round } from "../../bench/measure.ts";
import { type Latency, summary, within } from "../../bench/campaigns/attacks/latencies.ts";

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

function histogramOf(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const value of values) histogram.add(value);
  return histogram;
}

Deno.test("quantiles of a histogram are those of the sorted values, and never lower by more than rounding", () => {
  const values = Array.from({ length: 10_000 }, (_, i) => 0.001 * 1.002 ** i);
  const histogram = histogramOf(values);
  for (const share of [0.001, 0.25, 0.5, 0.99, 0.999, 1]) {
    const exact = Math.round(values[Math.ceil(values.length * share) - 1]! * 1000) / 1000;
    const found = histogram.quantile(share);
    assert.ok(found >= exact - 0.0005 && found <= exact * 1.016, `${share}: ${found}, not ${exact}`);
  }
});

Deno.test("every microsecond below 0.128 ms has a bucket of its own", () => {
  for (let microseconds = 0; microseconds < 128; microseconds++) {
    assert.equal(histogramOf([microseconds / 1000]).quantile(0.5), microseconds / 1000);
  }
});

Deno.test("a bucket ends where the next begins", () => {
  let last = -1;
  for (let microseconds = 0; microseconds < 100_000; microseconds++) {
    const highest = Math.round(histogramOf([microseconds / 1000]).quantile(1) * 1000);
    assert.ok(highest >= microseconds, `${microseconds} is in the bucket up to ${highest}`);
    if (highest !== last) assert.equal(last, microseconds - 1);
    last = highest;
  }
});

Deno.test("a rare long latency is neither lost nor cut off, and histograms add up", () => {
  const histogram = histogramOf(Array.from({ length: 999 }, () => 1));
  histogram.addAll(histogramOf([60_000]));
  assert.equal(histogram.total, 1000);
  assert.ok(histogram.quantile(0.999) < 1.02);
  assert.ok(histogram.quantile(1) >= 60_000 && histogram.quantile(1) < 61_000);
  assert.ok(histogramOf([1e9]).quantile(1) > 2e6);
});

Deno.test("a histogram of nothing has no quantile", () => {
  assert.equal(new Histogram().quantile(0.5), NaN);
});

const quick = (count: number): Latency[] =>
  Array.from({ length: count }, (_, i) => ({ at: i * 10, milliseconds: 1 }));

Deno.test("a wait counts for all the requests that would have been sent meanwhile", () => {
  assert.deepEqual(summary(quick(100), 10), { count: 100, p50: 1, p99: 1, worst: 1 });
  const blocked = [...quick(100), { at: 1000, milliseconds: 1000 }];
  const { count, p50, p99, worst } = summary(blocked, 10);
  assert.deepEqual([count, worst], [101, 1000]);
  // The 100 requests of that second waited 0 to 1,000 ms, so half of all waited for long.
  assert.ok(p50 >= 1 && p50 < 20, String(p50));
  assert.ok(p99 >= 970, String(p99));
});

Deno.test("without requests there is nothing to say", () => {
  const { p50, p99, worst } = summary([], 10);
  assert.deepEqual([p50, p99, worst], [NaN, NaN, NaN]);
});

Deno.test("a request counts when any part of it lies in a span", () => {
  const latencies = [[0, 5], [8, 5], [20, 100], [90, 1], [200, 1]].map(([at, milliseconds]) => ({
    at: at!,
    milliseconds: milliseconds!,
  }));
  const found = within(latencies, [{ from: 10, to: 12 }, { from: 50, to: 60 }]);
  assert.deepEqual(found.map(({ at }) => at), [8, 20]);
});
