import assert from "node:assert/strict";
import { Histogram } from "../../bench/histogram.ts";

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
