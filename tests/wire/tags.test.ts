import assert from "node:assert/strict";
import fc from "fast-check";
import type { Tag } from "../../src/model/tag.ts";
import { decodeTags, tagsText } from "../../src/wire/tags.ts";
import { parseText } from "../editions/a_write/decode_bodies.ts";

function read(text: string): Tag[] {
  return decodeTags(parseText(text), "events[0]", "identifiers", 20);
}

Deno.test("a tag object becomes one tag per value, in the order sent", () => {
  assert.deepEqual(read('{"b":"1","a":["3","2"],"":"","\\u0000":["\\u0000"]}'), [
    { name: "b", value: "1" },
    { name: "a", value: "3" },
    { name: "a", value: "2" },
    { name: "", value: "" },
    { name: "\0", value: "\0" },
  ]);
  assert.deepEqual(read("{}"), []);
  assert.deepEqual(decodeTags(null, "events[0]", "identifiers", 20), []);
  assert.deepEqual(decodeTags(undefined, "events[0]", "identifiers", 20), []);
});

Deno.test("20 tags are accepted, spread over names or under one", () => {
  const values = Array.from({ length: 20 }, (_, i) => `v${i}`);
  assert.equal(read(JSON.stringify({ n: values })).length, 20);
  assert.equal(read(JSON.stringify(Object.fromEntries(values.map((value) => [value, value])))).length, 20);
});

Deno.test("one value of two names, and two values of one name, are no duplicates", () => {
  assert.equal(read('{"a":["x","y"],"b":"x"}').length, 3);
});

Deno.test("tags are written with one value as a string, several as an array in the order sent", () => {
  const cases: [string, string][] = [
    ["{}", "{}"],
    ['{"a":"1"}', '{"a":"1"}'],
    ['{"a":["1"]}', '{"a":"1"}'],
    ['{"a":["2","1"]}', '{"a":["2","1"]}'],
    ['{"b":["2","1"],"a":"","":["x","","w"]}', '{"":["x","","w"],"a":"","b":["2","1"]}'],
    ['{"\\"\\n":"\\\\\\u0000"}', '{"\\"\\n":"\\\\\\u0000"}'],
    ['{"__proto__":["b","a"],"x":"1"}', '{"__proto__":["b","a"],"x":"1"}'],
    ['{"__proto__":"1"}', '{"__proto__":"1"}'],
    ['{"10":"a","9":"b"}', '{"10":"a","9":"b"}'],
  ];
  for (const [sent, written] of cases) assert.equal(tagsText(read(sent)), written);
});

Deno.test("names are written in the order of their UTF-8 bytes, which differs from the order of UTF-16", () => {
  const names = [
    "",
    "a",
    "a\0",
    "aa",
    "b",
    "\u00e4",
    "\ud7ff",
    "\ue000",
    "\uffff",
    "\u{10000}",
    "\u{10ffff}",
  ];
  const tags = names.toReversed().map((name) => ({ name, value: "" }));
  assert.equal(tagsText(tags), `{${names.map((name) => `${JSON.stringify(name)}:""`).join(",")}}`);
});

Deno.test("the order of any names is that of their UTF-8 bytes", () => {
  const name = fc.oneof(
    fc.string({ unit: "binary", maxLength: 4 }),
    fc.string({
      unit: fc.constantFrom("a", "\ud7ff", "\ue000", "\uffff", "\u{10000}", "\u{10ffff}"),
      maxLength: 4,
    }),
  );
  fc.assert(fc.property(fc.uniqueArray(name, { maxLength: 20 }), (names) => {
    const bytes = names.map((name) => new TextEncoder().encode(name));
    const sorted = bytes.toSorted(compareBytes).map((name) =>
      new TextDecoder("utf-8", { ignoreBOM: true }).decode(name)
    );
    const text = tagsText(names.map((name) => ({ name, value: "" })));
    assert.equal(text, `{${sorted.map((name) => `${JSON.stringify(name)}:""`).join(",")}}`);
  }));
});

function compareBytes(a: Uint8Array, b: Uint8Array): number {
  const at = a.findIndex((byte, i) => byte !== b[i]);
  return at === -1 ? a.length - b.length : (a[at] ?? 0) - (b[at] ?? -1);
}
