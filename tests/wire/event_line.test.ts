import assert from "node:assert/strict";
import fc from "fast-check";
import { eventBody, eventLine } from "../../src/wire/event.ts";
import { decodeEventLine, parseEventLine } from "../../src/wire/event_line.ts";
import { event } from "../store/arbitraries.ts";

const YEAR_9999_MICROS = 253_402_300_799_999_999;

Deno.test("an event's line is read back as the event that it was built from, as text and as bytes", () => {
  const sequence = fc.oneof(fc.integer({ min: 1, max: 100 }), fc.maxSafeNat().filter((n) => n > 0));
  const micros = fc.oneof(
    fc.nat(),
    fc.integer({ min: 0, max: Number.MAX_SAFE_INTEGER }),
    fc.constant(YEAR_9999_MICROS / 32),
  );
  fc.assert(fc.property(sequence, micros, event, (sequence, micros, event) => {
    const timeMicros = Math.floor(micros);
    const body = eventBody(event);
    const line = eventLine({ sequence, timeMicros, body }).slice(0, -1);
    for (const parsed of [parseEventLine(line), decodeEventLine(new TextEncoder().encode(line))]) {
      assert.deepEqual([parsed.sequence, parsed.timeMicros, parsed.body], [sequence, timeMicros, body]);
      assert.equal(eventBody(parsed.event), body);
    }
  }));
});

Deno.test("a tag name written with an escape is read as it is, whatever was read before it", () => {
  for (const name of ["\\", "\n", '"', "\0", "\u007f", "\\n", "\na"]) {
    const tags = [{ name: "a", value: "" }, { name, value: "" }];
    const body = eventBody({ type: "t", identifiers: tags, metadata: tags, payload: '},"payload":' });
    const { event } = parseEventLine(eventLine({ sequence: 1, timeMicros: 0, body }).slice(0, -1));
    assert.deepEqual(event.identifiers.map((tag) => tag.name).toSorted(), ["a", name].toSorted());
  }
});

Deno.test("a line with any byte less, more or changed is rejected", () => {
  const event = { type: "t", identifiers: [{ name: "a", value: "b" }], metadata: [], payload: "\u00e9\n" };
  const bytes = new TextEncoder().encode(
    eventLine({ sequence: 12, timeMicros: 1_700_000_000_000_000, body: eventBody(event) }).slice(0, -1),
  );
  const isSame = (line: Uint8Array): boolean => {
    try {
      const { sequence, timeMicros, body } = decodeEventLine(line);
      const again = eventLine({ sequence, timeMicros, body }).slice(0, -1);
      assert.deepEqual(new TextEncoder().encode(again), line, "what is taken is what goes out again");
      return true;
    } catch (error) {
      if (error instanceof assert.AssertionError) throw error;
      return false;
    }
  };
  assert.ok(isSame(bytes));
  let taken = 0;
  for (let at = 0; at < bytes.length; at++) {
    assert.equal(isSame(bytes.subarray(0, at)), false, `${at} bytes`);
    for (const bit of [1, 2, 4, 8, 16, 32, 64, 128]) {
      const changed = bytes.slice();
      changed[at]! ^= bit;
      if (isSame(changed)) taken++;
    }
  }
  // A changed digit or letter in a value gives another valid event.
  assert.ok(taken > 10 && taken < bytes.length, String(taken));
});

const DATA = new Uint8Array(40).toBase64();
const KEY_ID = "AAAAAAAAAAAA_-09";

/** A line with an encrypted payload. @param changes of its parts */
function sealedLine(
  { keys = `[["student","${KEY_ID}"]]`, data = DATA, payload = '""', end = "" } = {},
): string {
  return '{"sequence":1,"time":"2023-11-14T22:13:20.000000Z","type":"t","identifiers":{"course":"c","student":"s"},' +
    `"metadata":{},"payload":${payload},"sealed":{"keys":${keys},"data":"${data}"${end}}}`;
}

Deno.test("a line with an encrypted payload is read back as it is, and no other form of it is accepted", () => {
  const line = sealedLine();
  const { sequence, timeMicros, body, event: read, sealed } = parseEventLine(line);
  assert.equal(eventLine({ sequence, timeMicros, body }), `${line}\n`);
  assert.deepEqual([read.type, read.payload], ["t", ""]);
  assert.deepEqual(sealed, { keys: [["student", KEY_ID]], data: DATA });
  const student = `["student","${KEY_ID}"]`;
  const rejected: readonly (readonly [string, RegExp])[] = [
    [sealedLine({ payload: '"x"' }), /an event with sealed must have an empty payload/],
    [sealedLine({ keys: "[]" }), /the keys of sealed are not those of its subjects/],
    [sealedLine({ keys: `[["other","${KEY_ID}"]]` }), /are not those of its subjects/],
    [sealedLine({ keys: `[${student},${student}]` }), /are not those of its subjects/],
    [sealedLine({ keys: `[${student},["course","${KEY_ID}"]]` }), /are not those of its subjects/],
    [sealedLine({ keys: '[["student","short"]]' }), /are not those of its subjects/],
    [sealedLine({ keys: `[["student","${KEY_ID}",1]]` }), /are not those of its subjects/],
    [sealedLine({ keys: `[[1,"${KEY_ID}"]]` }), /are not those of its subjects/],
    [sealedLine({ data: new Uint8Array(29).toBase64() }), /sealed is not an encrypted payload/],
    [sealedLine({ data: DATA.replace("==", "") }), /sealed is not an encrypted payload/],
    [sealedLine({ data: DATA.replace("A==", "B==") }), /sealed is not an encrypted payload/],
    [sealedLine({ data: ` ${DATA}` }), /sealed is not an encrypted payload/],
    [sealedLine({ data: DATA.replace("A", "-") }), /sealed is not an encrypted payload/],
    [sealedLine({ end: ',"more":1' }), /sealed is not an encrypted payload/],
    [line.replace('"keys":', ' "keys":'), /not in the form that this program writes/],
    [line.replace('"sealed":{', '"sealed":null,"x":{'), /unknown key "x"/],
    [line.replace(/"sealed":.*/, '"sealed":null}'), /are not those of its subjects/],
    [line.replace(/"sealed":.*/, '"forgotten":["student"]}'), /unknown key "forgotten"/],
  ];
  for (const [text, expected] of rejected) {
    assert.notEqual(text, line);
    assert.throws(() => parseEventLine(text), expected, text);
  }
});
