import assert from "node:assert/strict";
import { type GrowthRows, growthText, ratioOf, type Size } from "../../bench/growth/report.ts";
import type { Measured } from "../../bench/measure.ts";

const rate = (requestsPerSecond: number, p99Milliseconds = 1): Measured => ({
  eventsPerSecond: requestsPerSecond,
  requestsPerSecond,
  p50Milliseconds: 1,
  p99Milliseconds,
  p999Milliseconds: 1,
  serverMicroseconds: 50.4,
});

function size(events: number, rows: GrowthRows, reference: GrowthRows): Size {
  return {
    events,
    fillSeconds: 2,
    databaseBytes: 5e8,
    start: { seconds: 0.2, rssBytes: 6e7 },
    rows,
    reference,
  };
}

const SIZES = [
  size(0, { oneEvent8: rate(1000) }, {}),
  size(1_000_000, { oneEvent8: rate(1700), conditionCheck: rate(500, 2.5) }, {
    oneEvent8: rate(2000),
    conditionCheck: rate(1000),
  }),
];

Deno.test("the ratio of a row is that to the reference of the same size, and 1 of an empty store", () => {
  assert.deepEqual(SIZES.map((size) => ratioOf(size, "oneEvent8")), [1, 0.85]);
  assert.deepEqual(SIZES.map((size) => ratioOf(size, "conditionCheck")), [undefined, 0.5]);
});

Deno.test("the tables of the growth say which aims are missed", () => {
  const lines = growthText(SIZES).split("\n");
  assert.ok(
    lines.includes(
      "| write 1 event on a condition, 8 clients | 1,000/s, 50 us, 1.00 | 1,700/s, 50 us, 0.85 |",
    ),
  );
  assert.ok(
    lines.includes("| write that its condition rejects, 1 client |  | 500/s, 50 us, 0.50 (missed) |"),
  );
  assert.ok(lines.includes("| rejected write, p99 ms |  | 2.50 (aim 2 missed) |"));
  assert.ok(lines.includes("| filled in process, events/s |  | 500,000 |"));
});
