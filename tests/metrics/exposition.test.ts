import assert from "node:assert/strict";
import { metricText } from "../../src/metrics/exposition.ts";
import { Histogram } from "../../src/metrics/histogram.ts";

Deno.test("a metric is its HELP, its TYPE, and one line per sample", () => {
  assert.equal(
    metricText("a_b", "gauge", "What it is.", [{ value: 0.25 }]),
    "# HELP a_b What it is.\n# TYPE a_b gauge\na_b 0.25\n",
  );
  const samples = [{ labels: 'reason="x"', value: 1 }, { suffix: "_sum", value: 2 }];
  assert.equal(
    metricText("c", "counter", "H", samples),
    '# HELP c H\n# TYPE c counter\nc{reason="x"} 1\nc_sum 2\n',
  );
});

Deno.test("a histogram starts with every bucket at 0, +Inf, sum and count included", () => {
  const text = metricText("h", "histogram", "H", new Histogram([0.001, 2.5]).samples());
  assert.equal(
    text,
    '# HELP h H\n# TYPE h histogram\nh_bucket{le="0.001"} 0\nh_bucket{le="2.5"} 0\nh_bucket{le="+Inf"} 0\nh_sum 0\nh_count 0\n',
  );
});

Deno.test("buckets are cumulative, their bounds inclusive, and values above the last count in +Inf only", () => {
  const histogram = new Histogram([1, 2, 4]);
  for (const seconds of [0, 1, 1.5, 2, 2.1, 4, 5]) histogram.observe(seconds);
  const values = histogram.samples().map(({ value }) => value);
  assert.deepEqual(values, [2, 4, 6, 7, 15.6, 7]);
  const labels = histogram.samples().map(({ suffix, labels }) => `${suffix} ${labels ?? ""}`);
  assert.deepEqual(labels, [
    '_bucket le="1"',
    '_bucket le="2"',
    '_bucket le="4"',
    '_bucket le="+Inf"',
    "_sum ",
    "_count ",
  ]);
});

Deno.test("the labels of a histogram are on each of its samples, before the bound of a bucket", () => {
  const labels = new Histogram([1]).samples('a="b"').map(({ suffix, labels }) => `${suffix}{${labels}}`);
  assert.deepEqual(labels, [
    '_bucket{a="b",le="1"}',
    '_bucket{a="b",le="+Inf"}',
    '_sum{a="b"}',
    '_count{a="b"}',
  ]);
});
