import assert from "node:assert/strict";
import fc from "fast-check";
import { exportTrailer } from "../../src/backup/history/export_trailer.ts";
import { HashChain } from "../../src/backup/history/hash_chain.ts";
import { importEvents } from "../../src/backup/history/import_events.ts";
import type { PreparedEvent } from "../../src/store/core/prepare_event.ts";
import { readLines } from "../../src/backup/history/lines.ts";
import { eventBody, eventLine } from "../../src/wire/event.ts";
import { event } from "../store/arbitraries.ts";
import { sampleEvents } from "./made_backup.ts";

const LINES = sampleEvents(4).map((event, i) =>
  eventLine({ sequence: i + 1, timeMicros: 1_700_000_000_000_000 + i, body: eventBody(event) })
);
const EXPORT = withTrailer(LINES);

function withTrailer(lines: readonly string[]): string {
  const chain = new HashChain();
  for (const line of lines) chain.add(line);
  return lines.join("") + exportTrailer(lines.length, chain);
}

/** Imports a text that comes in pieces. @returns the bodies of its events */
function imported(text: string | Uint8Array<ArrayBuffer>, pieceBytes = Infinity): string[] {
  let rest = typeof text === "string" ? new TextEncoder().encode(text) : text;
  const read = (bytes: Uint8Array): number | null => {
    if (rest.length === 0) return null;
    const piece = rest.subarray(0, Math.min(pieceBytes, bytes.length));
    bytes.set(piece);
    rest = rest.subarray(piece.length);
    return piece.length;
  };
  return [...importEvents(() => {})(readLines(read))].map((item) => (item as PreparedEvent).body);
}

Deno.test("an export is imported as it is, in whatever pieces it comes", () => {
  const bodies = sampleEvents(4).map(eventBody);
  for (const pieceBytes of [1, 7, 100, Infinity]) assert.deepEqual(imported(EXPORT, pieceBytes), bodies);
  assert.deepEqual(imported(EXPORT.trimEnd()), bodies, "the last line feed may be missing");
  assert.deepEqual(imported(withTrailer([])), []);
});

Deno.test("long lines and lines across pieces are put together", () => {
  const large = { ...sampleEvents(1)[0]!, payload: "\u20ac".repeat(300_000) };
  const lines = [1, 2, 3].map((sequence) => eventLine({ sequence, timeMicros: 0, body: eventBody(large) }));
  assert.deepEqual(imported(withTrailer(lines), 65_536), [1, 2, 3].map(() => eventBody(large)));
});

Deno.test("an export and its import change no event", () => {
  fc.assert(fc.property(fc.array(event, { maxLength: 20 }), (events) => {
    const bodies = events.map(eventBody);
    const lines = bodies.map((body, i) =>
      eventLine({ sequence: i + 1, timeMicros: i * 1_234_567_890, body })
    );
    assert.deepEqual(imported(withTrailer(lines), 50), bodies);
  }));
});

Deno.test("an export that was cut at any byte is rejected", () => {
  const bytes = new TextEncoder().encode(EXPORT);
  for (let length = 0; length < bytes.length - 1; length++) {
    assert.throws(() => imported(bytes.slice(0, length)), /cut short|^Error: line \d+: /, `${length} bytes`);
  }
  for (let n = 0; n <= 4; n++) {
    const whole = LINES.slice(0, n).join("");
    assert.throws(
      () => imported(whole),
      new RegExp(`it was cut short: the trailer is missing after line ${n}`),
    );
  }
});

Deno.test("an export in which any byte was changed is rejected", () => {
  const bytes = new TextEncoder().encode(EXPORT);
  for (let at = 0; at < bytes.length - 1; at++) {
    const changed = bytes.slice();
    changed[at]! ^= 1;
    assert.throws(() => imported(changed), /line \d+: |cut short/, `byte ${at}`);
  }
});

const [first, second, third, fourth] = LINES as [string, string, string, string];
const TRAILER = EXPORT.slice(LINES.join("").length);

/** Exports with a fault, and the message about each. */
const FAULTS: readonly (readonly [text: string, expected: RegExp])[] = [
  [first + third + fourth + TRAILER, /^line 2: the sequence is 3, expected 2$/],
  [second + third + fourth + TRAILER, /^line 1: the sequence is 2, expected 1$/],
  [first + second + second, /^line 3: the sequence is 2, expected 3$/],
  [first + second + third + TRAILER, /^line 4: the trailer declares 4 events, but 3 came before it$/],
  [EXPORT + EXPORT, /^line 6: nothing may follow the trailer$/],
  [EXPORT + "\n", /^line 6: nothing may follow the trailer$/],
  [first + "\n" + second, /^line 2: the line is not valid JSON/],
  ["\ufeff" + EXPORT, /^line 1: the line starts with a byte order mark$/],
  [
    EXPORT.replaceAll("\n", "\r\n"),
    /^line 1: not in the form that this program writes, from column \d+ \("\\r"\)$/,
  ],
  [
    EXPORT.replace("payload 2.", "payload 3."),
    /^line 5: the trailer has a different hash chain: an event was changed$/,
  ],
  [
    EXPORT.replace('"lastSequence":4', '"lastSequence":5'),
    /^line 5: the trailer is not \{"complete":true,"events":4,/,
  ],
  [EXPORT.replace('"complete":true', '"complete":false'), /^line 5: the trailer is not /],
  [first + second + '{"hasMore":false}\n', /^line 3: unknown key "hasMore"$/],
  [first + '{"sequence":2}\n', /^line 2: time is missing$/],
  [first + "[]\n", /^line 2: the line must be an object, not an array$/],
  [
    first + second.replace(/"time":"[^"]*"/, '"time":"2026-02-30T00:00:00.000000Z"'),
    /^line 2: time must have the form /,
  ],
  [
    first + second.replace('"sequence":2', '"sequence":2.0'),
    /^line 2: not in the form that this program writes/,
  ],
  [
    first + second.replace('"sequence":2', '"sequence":9007199254740992'),
    /^line 2: sequence must be below 2\^53$/,
  ],
  [first + second.replace('"sequence":2', '"sequence":0'), /^line 2: sequence must be at least 1$/],
  [first + second.replace('"metadata"', '"metadata":{},"metadata"'), /^line 2: key "metadata" occurs twice$/],
  [first + second.replace('"all":"x",', ""), /^line 5: |^it was cut short/],
  [
    first + second.replace(/"all":"x","n":"2"/, '"n":"2","all":"x"'),
    /^line 2: not in the form .* from column 84 /,
  ],
  [first + second.replace('"n":"2"', '"n":["2"]'), /^line 2: not in the form that this program writes/],
  [first + second.replace('"n":"2"', '"n":[]'), /^line 2: identifiers: "n" is an empty array/],
  [first + second.replace("payload 2.", "\\ud800"), /^line 2: payload contains a lone surrogate$/],
  [first + second.replace('"type":"type 1"', '"type":""'), /^line 2: type must not be empty$/],
];

Deno.test("each fault of an export is named with its line", () => {
  for (const [text, expected] of FAULTS) {
    assert.throws(() => imported(text), (error: Error) => {
      assert.match(error.message, expected);
      return true;
    });
  }
  const latin1 = Uint8Array.from(EXPORT.replace("payload 3", "payload\u00e4"), (unit) => unit.charCodeAt(0));
  assert.throws(() => imported(latin1), /line 3: the line is not valid UTF-8/);
});
