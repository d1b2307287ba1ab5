import assert from "node:assert/strict";
import fc from "fast-check";
import { formatTimestamp, parseTimestamp } from "../../src/model/timestamp.ts";

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

Deno.test("every moment is written as the date that it is, whichever was written before", () => {
  const micros = fc.integer({ min: -1_000_000_000_000, max: Number.MAX_SAFE_INTEGER });
  const near = fc.integer({ min: 0, max: 200_000_000_000 });
  fc.assert(fc.property(micros, near, (first, later) => {
    for (const moment of [first, first + 1, Math.min(first + later, Number.MAX_SAFE_INTEGER), first]) {
      const milliseconds = Math.floor(moment / 1000);
      const rest = String(moment - milliseconds * 1000).padStart(3, "0");
      const date = new Date(milliseconds).toISOString().slice(0, -1);
      assert.equal(formatTimestamp(moment), `${date}${rest}Z`);
    }
  }));
});

const parsed: readonly (readonly [text: string, micros: bigint | undefined])[] = [
  ["1970-01-01T00:00:00Z", 0n],
  ["1970-01-01t00:00:00z", 0n],
  ["1970-01-01T00:00:00.000001Z", 1n],
  ["1970-01-01T00:00:00.1Z", 100_000n],
  // Rounded up, so that "not before" and "before" keep their meaning for whole microseconds.
  ["1970-01-01T00:00:00.0000001Z", 1n],
  ["1970-01-01T00:00:00.0000010Z", 1n],
  ["1969-12-31T23:59:59.9999999Z", 0n],
  ["1969-12-31T23:59:59.999999Z", -1n],
  ["1970-01-01T01:30:00+01:30", 0n],
  ["1969-12-31T00:01:00-23:59", 0n],
  ["1970-01-01T00:00:00-00:00", 0n],
  ["2016-12-31T23:59:60Z", 1_483_228_800_000_000n],
  ["2024-02-29T12:30:45.012034Z", 1_709_209_845_012_034n],
  ["2000-02-29T00:00:00Z", 951_782_400_000_000n],
  ["0000-01-01T00:00:00Z", -62_167_219_200_000_000n],
  ["0099-12-31T00:00:00Z", -59_011_545_600_000_000n],
  ["9999-12-31T23:59:59.999999Z", 253_402_300_799_999_999n],
  ["2023-02-29T00:00:00Z", undefined],
  ["1900-02-29T00:00:00Z", undefined],
  ["2023-04-31T00:00:00Z", undefined],
  ["2023-00-01T00:00:00Z", undefined],
  ["2023-13-01T00:00:00Z", undefined],
  ["2023-01-00T00:00:00Z", undefined],
  ["2023-01-01T24:00:00Z", undefined],
  ["2023-01-01T00:60:00Z", undefined],
  ["2023-01-01T00:00:61Z", undefined],
  ["2023-01-01T00:00:00+24:00", undefined],
  ["2023-01-01T00:00:00+00:60", undefined],
  ["2023-01-01T00:00:00.Z", undefined],
  ["2023-01-01T00:00:00,5Z", undefined],
  ["2023-01-01T00:00:00+0100", undefined],
  ["2023-01-01T00:00:00+01", undefined],
  ["2023-01-01T00:00:00", undefined],
  ["2023-01-01T00:00Z", undefined],
  ["2023-01-01 00:00:00Z", undefined],
  ["2023-01-01", undefined],
  ["+002023-01-01T00:00:00Z", undefined],
  ["-2023-01-01T00:00:00Z", undefined],
  ["12023-01-01T00:00:00Z", undefined],
  [" 2023-01-01T00:00:00Z", undefined],
  ["2023-01-01T00:00:00Z\n", undefined],
  ["\u0662023-01-01T00:00:00Z", undefined],
  ["", undefined],
];
Deno.test("RFC 3339 is parsed with any offset and any fraction, and nothing else is", () => {
  for (const [text, micros] of parsed) assert.equal(parseTimestamp(text), micros, text);
});

Deno.test("what was formatted is parsed to the same moment", () => {
  fc.assert(fc.property(fc.maxSafeInteger(), (micros) => {
    assert.equal(parseTimestamp(formatTimestamp(micros)), BigInt(micros));
  }));
});

/** Days since 1970, counted over every earlier year and month: slow, but easy to check. */
function daysBefore(year: number, month: number, day: number): number {
  const isLeap = (y: number): boolean => y % 4 === 0 && (y % 100 !== 0 || y % 400 === 0);
  let days = day - 1;
  for (let y = 1970; y < year; y++) days += isLeap(y) ? 366 : 365;
  for (let y = year; y < 1970; y++) days -= isLeap(y) ? 366 : 365;
  const months = [31, isLeap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
  return months.slice(0, month - 1).reduce((sum, length) => sum + length, days);
}

Deno.test("parsing agrees with counting days, over all years, offsets and fractions", () => {
  const upTo = (max: number): fc.Arbitrary<number> => fc.integer({ min: 0, max });
  const drawn = fc.record({
    year: upTo(9999),
    month: fc.integer({ min: 1, max: 12 }),
    day: fc.integer({ min: 1, max: 28 }),
    hour: upTo(23),
    minute: upTo(59),
    second: upTo(60),
    fraction: fc.stringMatching(/^[0-9]{0,9}$/),
    sign: fc.constantFrom("+", "-", "Z"),
    offsetHour: upTo(23),
    offsetMinute: upTo(59),
  });
  const two = (n: number): string => String(n).padStart(2, "0");
  fc.assert(
    fc.property(drawn, (d) => {
      const offset = d.sign === "Z" ? "Z" : `${d.sign}${two(d.offsetHour)}:${two(d.offsetMinute)}`;
      const fraction = d.fraction === "" ? "" : `.${d.fraction}`;
      const date = `${String(d.year).padStart(4, "0")}-${two(d.month)}-${two(d.day)}`;
      const text = `${date}T${two(d.hour)}:${two(d.minute)}:${two(d.second)}${fraction}${offset}`;
      let seconds = daysBefore(d.year, d.month, d.day) * 86_400 + d.hour * 3600 + d.minute * 60 + d.second;
      const away = d.offsetHour * 3600 + d.offsetMinute * 60;
      if (d.sign !== "Z") seconds -= d.sign === "+" ? away : -away;
      const nanos = BigInt(d.fraction.padEnd(9, "0"));
      assert.equal(parseTimestamp(text), BigInt(seconds) * 1_000_000n + (nanos + 999n) / 1000n, text);
    }),
    { numRuns: 2000 },
  );
});
