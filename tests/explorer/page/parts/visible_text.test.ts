import assert from "node:assert/strict";
import fc from "fast-check";
import { visibleLine, visibleText } from "../../../../explorer/page/parts/visible_text.ts";

Deno.test("nothing hides in a text, and nothing turns it round", () => {
  assert.equal(
    visibleLine("a\0b\u001b[31m\u202ec\u200b\n"),
    "a\u2400b\u241b[31m\u27e8U+202E\u27e9c\u27e8U+200B\u27e9\u240a",
  );
  assert.equal(visibleText("a\n\tb\r"), "a\n\tb\u240d");
  fc.assert(fc.property(fc.array(fc.nat(0xffff)).map((codes) => String.fromCharCode(...codes)), (text) => {
    assert.doesNotMatch(
      visibleLine(text),
      /[\p{Cc}\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2028\u2029\ufeff]/u,
    );
    assert.doesNotMatch(visibleText(text).replace(/[\n\t]/g, ""), /[\p{Cc}\u202a-\u202e\u2066-\u2069]/u);
  }));
});

Deno.test("ordinary text of any script stays as it is", () => {
  const text = 'Gr\u00fc\u00dfe, \u05e9\u05dc\u05d5\u05dd, \u4f60\u597d <b>&amp;"';
  assert.equal(visibleLine(text), text);
});
