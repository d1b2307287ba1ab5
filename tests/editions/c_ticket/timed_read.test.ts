import assert from "node:assert/strict";
import { decodeTimedRead } from "../../../src/editions/c_ticket/timed_read.ts";
import type { TimeRange } from "../../../src/model/time_range.ts";
import { limits, parseText, readRead } from "../a_write/decode_bodies.ts";
import { expectInvalid } from "../../wire/expect_rejection.ts";

function timeOf(time: unknown): TimeRange | undefined {
  const body = parseText(JSON.stringify({ query: "*", time }));
  return decodeTimedRead(body, limits).time;
}

const FIRST = Number.MIN_SAFE_INTEGER;
const LAST = Number.MAX_SAFE_INTEGER;

Deno.test("a read by time keeps everything else of a read, which without a time takes none", () => {
  const read = { query: [{ types: ["a"] }], afterSequence: 3, limit: 5 };
  const { time, ...rest } = decodeTimedRead({ ...read, time: {} }, limits);
  assert.deepEqual(rest, readRead(read));
  assert.deepEqual(time, { fromMicros: FIRST, beforeMicros: LAST });
  assert.equal(decodeTimedRead(read, limits).time, undefined);
  expectInvalid(() => readRead({ query: "*", time: {} }), 'unknown key "time"');
  expectInvalid(
    () => decodeTimedRead({ query: "*", times: {} }, limits),
    'unknown key "times"',
  );
});

Deno.test("from and before may be left out, each and both", () => {
  const moment = "1970-01-01T00:00:01Z";
  assert.equal(timeOf(null), undefined);
  assert.deepEqual(timeOf({ from: null, before: null }), { fromMicros: FIRST, beforeMicros: LAST });
  assert.deepEqual(timeOf({ from: moment }), { fromMicros: 1_000_000, beforeMicros: LAST });
  assert.deepEqual(timeOf({ before: moment }), { fromMicros: FIRST, beforeMicros: 1_000_000 });
});

Deno.test("moments beyond the safe integers become the nearest one", () => {
  const [early, late] = ["0000-01-01T00:00:00Z", "9999-12-31T23:59:59Z"];
  assert.deepEqual(timeOf({ from: early, before: late }), { fromMicros: FIRST, beforeMicros: LAST });
  assert.deepEqual(timeOf({ from: "9998-01-01T00:00:00Z", before: late }), {
    fromMicros: LAST,
    beforeMicros: LAST,
  });
  assert.deepEqual(timeOf({ from: early, before: "0001-01-01T00:00:00Z" }), {
    fromMicros: FIRST,
    beforeMicros: FIRST,
  });
});

Deno.test("a time that is no range of RFC 3339 times is rejected by name", () => {
  const moment = "1970-01-01T00:00:01Z";
  const later = "1970-01-01T00:00:01.000001Z";
  const message = 'time: "from" must be earlier than "before"';
  assert.deepEqual(timeOf({ from: moment, before: later }), {
    fromMicros: 1_000_000,
    beforeMicros: 1_000_001,
  });
  expectInvalid(() => timeOf({ from: moment, before: moment }), message);
  expectInvalid(() => timeOf({ from: later, before: moment }), message);
  expectInvalid(() => timeOf({ from: moment, before: "1970-01-01T01:00:01+01:00" }), message);
  expectInvalid(() => timeOf(moment), "time must be an object, not a string");
  expectInvalid(() => timeOf([]), "time must be an object, not an array");
  expectInvalid(() => timeOf({ until: moment }), 'time: unknown key "until"');
  expectInvalid(() => timeOf({ from: 1 }), "time: from must be a string, not a number");
  expectInvalid(
    () => timeOf({ before: "yesterday" }),
    'time: before must be an RFC 3339 time, not "yesterday"',
  );
});
