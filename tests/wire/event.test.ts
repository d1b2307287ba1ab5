import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../src/model/event.ts";
import type { Tag } from "../../src/model/tag.ts";
import { decodeEvents, eventBody, eventLine, parseQueried } from "../../src/wire/event.ts";
import { parseText } from "../editions/a_write/decode_bodies.ts";
import { tagsText } from "../../src/wire/tags.ts";
import { expectInvalid, expectRejection } from "./expect_rejection.ts";

function read(events: unknown, maxEventSize = 65536): NewEvent[] {
  return decodeEvents(parseText(JSON.stringify(events)), "events", {
    maxEventSize,
    maxTagsPerEvent: 20,
    rejectEmails: false,
  });
}

Deno.test("an event needs type and payload only, and null for its tags means left out", () => {
  const bare = { type: "t", identifiers: [], metadata: [], payload: "" };
  assert.deepEqual(read([{ type: "t", payload: "" }]), [bare]);
  assert.deepEqual(read([{ type: "t", payload: "", identifiers: null, metadata: {} }]), [bare]);
  assert.deepEqual(read([]), []);
});

Deno.test("the two kinds of tags are kept apart", () => {
  assert.deepEqual(read([{ type: "t", identifiers: { n: "1" }, metadata: { n: ["2"] }, payload: "p" }]), [
    {
      type: "t",
      identifiers: [{ name: "n", value: "1" }],
      metadata: [{ name: "n", value: "2" }],
      payload: "p",
    },
  ]);
});

Deno.test("events that are missing or null are rejected by name", () => {
  const limits = { maxEventSize: 1, maxTagsPerEvent: 20, rejectEmails: false };
  expectInvalid(() => decodeEvents(undefined, "events", limits), "events is missing");
  expectInvalid(() => decodeEvents(null, "events", limits), "events must be an array, not null");
});

Deno.test("an event of maxEventSize bytes is accepted, one byte more is too large", () => {
  const event = { type: "t\u00e4", identifiers: { n: ["1", "22"] }, metadata: { "\u20ac": "\u{1f600}" } };
  const tagBytes = 3 + (1 + 1) + (1 + 2) + (3 + 4);
  const accepted = { ...event, payload: "x".repeat(100 - tagBytes) };
  assert.equal(read([accepted], 100).length, 1);
  expectRejection(
    () => read([accepted, { ...accepted, payload: accepted.payload + "x" }], 100),
    "PayloadTooLarge",
    "events[1] is 101 bytes, more than maxEventSize (100)",
  );
});

Deno.test("events are checked in order, each for its rules and then for its size", () => {
  const large = { type: "t", payload: "x".repeat(11) };
  expectRejection(() => read([large, { type: "t" }], 10), "PayloadTooLarge", /^events\[0\] is 12 bytes/);
  expectInvalid(() => read([{ type: "t" }, large], 10), "events[0]: payload is missing");
  expectInvalid(() => read([{ ...large, metadata: { n: [] } }], 10), /^events\[0\]: metadata/);
});

Deno.test("an event line is the documented object in the documented order", () => {
  const [event] = read([{
    payload: '{"a":"\\"\n"}',
    metadata: { user: ["u"] },
    identifiers: { order: ["2", "1"], customer: "c" },
    type: "OrderPlaced",
  }]);
  assert.ok(event);
  assert.equal(
    eventLine({ sequence: 17, timeMicros: 1_700_000_000_000_042, body: eventBody(event) }),
    '{"sequence":17,"time":"2023-11-14T22:13:20.000042Z","type":"OrderPlaced",' +
      '"identifiers":{"customer":"c","order":["2","1"]},"metadata":{"user":"u"},' +
      '"payload":"{\\"a\\":\\"\\\\\\"\\n\\"}"}\n',
  );
});

Deno.test("an event without tags is written with empty objects", () => {
  assert.equal(
    eventBody({ type: "t", identifiers: [], metadata: [], payload: "" }),
    '"type":"t","identifiers":{},"metadata":{},"payload":""',
  );
});

Deno.test("a tag name written with an escape is read as it is, whatever was read before it", () => {
  for (const name of ["\\", "\n", '"', "\0", "\u007f", "\\n", "\na"]) {
    const tags = [{ name: "a", value: "" }, { name, value: "" }];
    for (const payload of ["", '},"payload":', "\\"]) {
      const event = { type: "t", identifiers: tags, metadata: tags, payload };
      assert.deepEqual(grouped(parseQueried(eventBody(event)).identifiers), grouped(tags));
      assert.deepEqual(grouped(parseQueried(eventBody(event)).metadata), grouped(tags));
    }
  }
});

/** Short strings over awkward characters, so that equal names, prefixes and `__proto__` are frequent. */
const text = fc.oneof(
  fc.string({
    unit: fc.constantFrom("a", "b", "\0", '"', "\\", "\n", "\u2028", "\ue000", "\u{1f600}"),
    maxLength: 3,
  }),
  fc.constantFrom("__proto__", "constructor", "1", "10", ""),
  fc.string({ unit: "binary" }),
);
const tags = fc.uniqueArray(fc.record({ name: text, value: text }), {
  selector: (tag) => JSON.stringify([tag.name, tag.value]),
  maxLength: 20,
});

Deno.test("a text of eventBody can be read, and is written with the same text again", () => {
  const event = fc.record({ type: text, identifiers: tags, metadata: tags, payload: text });
  fc.assert(
    fc.property(event, (event) => {
      const body = eventBody(event);
      assert.ok(!body.includes("\n"));
      const { payload } = JSON.parse(`{${body}}`) as NewEvent;
      const parsed = { ...parseQueried(body), payload };
      assert.equal(parsed.type, event.type);
      assert.equal(parsed.payload, event.payload);
      assert.deepEqual(grouped(parsed.identifiers), grouped(event.identifiers));
      assert.deepEqual(grouped(parsed.metadata), grouped(event.metadata));
      assert.equal(eventBody(parsed), body);
    }),
    { numRuns: 500 },
  );
});

Deno.test("a line that goes out can be sent again as a write and is the same event", () => {
  const name = text.filter((name) => name !== "");
  const event = fc.record({ type: name, identifiers: tags, metadata: tags, payload: text });
  fc.assert(fc.property(event, (event) => {
    const { sequence: _, time: __, ...sent } = parseText(
      eventLine({ sequence: 1, timeMicros: 0, body: eventBody(event) }),
    ) as Record<
      string,
      unknown
    >;
    const [read] = decodeEvents([sent], "events", {
      maxEventSize: 65536,
      maxTagsPerEvent: 20,
      rejectEmails: false,
    });
    assert.ok(read);
    assert.equal(eventBody(read), eventBody(event));
  }));
});

/** The values of each name in their order; the order of names has no meaning. */
function grouped(tags: readonly Tag[]): Map<string, string[]> {
  const byName = Map.groupBy(tags, (tag) => tag.name);
  return new Map([...byName].map(([name, own]) => [name, own.map((tag) => tag.value)]));
}

Deno.test("the tags of an event are written alike whatever their names are, and in whatever order they came", () => {
  fc.assert(
    fc.property(tags, tags, (identifiers, metadata) => {
      const body = eventBody({ type: "t", identifiers, metadata, payload: "p" });
      const [own, others] = [tagsText(identifiers), tagsText(metadata)];
      assert.equal(body, `"type":"t","identifiers":${own},"metadata":${others},"payload":"p"`);
    }),
    { numRuns: 1000 },
  );
});
