import assert from "node:assert/strict";
import { type Latency, summary, within } from "../../bench/campaigns/attacks/latencies.ts";

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
