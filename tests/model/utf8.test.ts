import assert from "node:assert/strict";
import fc from "fast-check";
import { utf8BytesOver } from "../../src/model/utf8.ts";

Deno.test("the bytes of a string are those of its encoded form", () => {
  for (
    const edge of ["", "\0", "\x7f", "\x80", "\u07ff", "\u0800", "\ud7ff", "\ue000", "\uffff", "\u{10000}"]
  ) {
    assert.equal(utf8BytesOver(0, [edge]), new TextEncoder().encode(edge).length);
  }
  fc.assert(fc.property(fc.string({ unit: "binary" }), (text) => {
    assert.equal(utf8BytesOver(0, [text]), new TextEncoder().encode(text).length);
  }));
});

Deno.test("strings together are over a limit exactly when their bytes are", () => {
  const texts = fc.array(fc.string({ unit: "binary", maxLength: 8 }), { maxLength: 6 });
  fc.assert(fc.property(texts, fc.integer({ min: -3, max: 3 }), (texts, distance) => {
    const bytes = new TextEncoder().encode(texts.join("")).length;
    assert.equal(utf8BytesOver(bytes + distance, texts), distance < 0 ? bytes : 0);
  }));
});
