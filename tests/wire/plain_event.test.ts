import assert from "node:assert/strict";
import fc from "fast-check";
import { formatTimestamp } from "../../src/model/timestamp.ts";
import { eventBody } from "../../src/wire/event.ts";
import { decodePlainEvent, type PlainEvent } from "../../src/wire/plain_event.ts";
import { event } from "../store/arbitraries.ts";

function decode(line: string | Uint8Array): PlainEvent {
  return decodePlainEvent(typeof line === "string" ? new TextEncoder().encode(line) : line);
}

const START = '{"type":"t","payload":""';
const NOON_MICROS = Date.parse("2026-11-20T12:00:00Z") * 1000;

Deno.test("any event is read as it was written, with its time", () => {
  const micros = fc.integer({ min: Number.MIN_SAFE_INTEGER, max: Number.MAX_SAFE_INTEGER });
  fc.assert(fc.property(event, fc.option(micros), (event, micros) => {
    const time = micros === null ? "" : `,"time":"${formatTimestamp(micros)}"`;
    const plain = decode(`{${eventBody(event)}${time}}`);
    assert.equal(eventBody(plain.event), eventBody(event));
    assert.equal(plain.timeMicros, micros ?? undefined);
  }));
});

Deno.test("optional keys may be omitted or null, and white space may be anywhere", () => {
  const expected = { type: "t", identifiers: [], metadata: [], payload: "" };
  for (
    const line of [`${START}}`, `${START},"time":null,"metadata":null,"sequence":null}`, ` ${START} }\r`]
  ) {
    assert.deepEqual(decode(line), { event: expected, timeMicros: undefined });
  }
});

Deno.test("a time may have any offset and any number of digits", () => {
  for (
    const [time, micros] of [
      ["2026-11-20T12:00:00Z", NOON_MICROS],
      ["2026-11-20T13:00:00.5+01:00", NOON_MICROS + 500_000],
      ["2026-11-20T12:00:00.1234561Z", NOON_MICROS + 123_457],
      ["1969-12-31T23:59:59.999999Z", -1],
    ] as const
  ) {
    assert.equal(decode(`${START},"time":"${time}"}`).timeMicros, micros);
  }
});

Deno.test("a line that is no event is rejected with its fault", () => {
  for (
    const [line, expected] of [
      ["", /^the line is empty$/],
      ["[]", /^the line must be an object, not an array$/],
      [`${START}`, /^the line is not valid JSON/],
      [`${START}} ${START}}`, /^the line is not valid JSON/],
      [`\uFEFF${START}}`, /^the line starts with a byte order mark$/],
      ['{"type":"t"}', /^payload is missing$/],
      ['{"type":"","payload":""}', /^type must not be empty$/],
      [`${START},"identifiers":{"a":[]}}`, /^identifiers: "a" is an empty array; omit the key$/],
      [`${START},"data":1}`, /^unknown key "data"$/],
      [`${START},"payload":""}`, /payload/],
      [
        `${START},"sequence":7}`,
        /^sequence must be omitted: events are numbered in the order of their lines$/,
      ],
      [`${START},"time":7}`, /^time must be a string, not a number$/],
      [`${START},"time":"yesterday"}`, /^time must be like 2026-11-20T12:34:56Z or .*, not "yesterday"$/],
      [`${START},"time":"2026-02-30T12:00:00Z"}`, /^time must be like/],
      [`${START},"time":"1600-01-01T00:00:00Z"}`, /^time must be within 285 years of 1970, not "1600-/],
      [`${START},"time":"9999-01-01T00:00:00Z"}`, /^time must be within 285 years of 1970/],
    ] as const
  ) {
    assert.throws(() => decode(line), { message: expected }, line);
  }
  assert.throws(() => decode(new Uint8Array([0x22, 0xff, 0x22])), { message: "the line is not valid UTF-8" });
});
