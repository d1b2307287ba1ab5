import assert from "node:assert/strict";
import fc from "fast-check";
import { formatTimestamp } from "../../src/model/timestamp.ts";

Deno.test("a moment is written in UTC with exactly six fractional digits", () => {
  const cases: [number, string][] = [
    [0, "1970-01-01T00:00:00.000000Z"],
    [1, "1970-01-01T00:00:00.000001Z"],
    [999, "1970-01-01T00:00:00.000999Z"],
    [1000, "1970-01-01T00:00:00.001000Z"],
    [-1, "1969-12-31T23:59:59.999999Z"],
    [1_709_209_845_012_034, "2024-02-29T12:30:45.012034Z"],
    [Number.MAX_SAFE_INTEGER, "2255-06-05T23:47:34.740991Z"],
  ];
  for (const [micros, expected] of cases) assert.equal(formatTimestamp(micros), expected);
});

Deno.test("timestamps sort as text the way their moments do", () => {
  const micros = fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER });
  fc.assert(fc.property(micros, micros, (a, b) => {
    assert.equal(formatTimestamp(a) < formatTimestamp(b), a < b);
    assert.match(formatTimestamp(a), /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$/);
  }));
});
