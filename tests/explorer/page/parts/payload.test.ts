import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyParts } from "../../../../explorer/page/parts/payload.ts";

function pretty(text: string): string | undefined {
  return prettyParts(text)?.map(({ text }) => text).join("");
}

Deno.test("a JSON payload is laid out in the usual way", () => {
  fc.assert(
    fc.property(fc.oneof(fc.dictionary(fc.string(), fc.jsonValue()), fc.array(fc.jsonValue())), (value) => {
      assert.equal(pretty(JSON.stringify(value)), JSON.stringify(value, null, 2));
    }),
  );
});

Deno.test("nothing in it changes: digits, repeated keys, escapes", () => {
  const text = '{"a":12345678901234567890.10,"a":1e400,"\\u0061":"\\u202e\\/"}';
  assert.equal(pretty(text)!.replaceAll(/\n\s*/g, "").replaceAll('": ', '":'), text);
});

Deno.test("what is no JSON, or no more than a word, stays as it is", () => {
  for (const text of ["", "plain", "{", "[1,]", "12", '"text"', "null", "{'a': 1}"]) {
    assert.equal(prettyParts(text), undefined, text);
  }
});

Deno.test("each part says what it is", () => {
  assert.deepEqual(prettyParts('{"k":["v",1,true]}')!.filter(({ kind }) => !/space|punctuation/.test(kind)), [
    { kind: "key", text: '"k"' },
    { kind: "string", text: '"v"' },
    { kind: "number", text: "1" },
    { kind: "word", text: "true" },
  ]);
});

Deno.test("thousands of brackets make no megabytes of spaces", () => {
  assert.ok(pretty("[".repeat(5000) + "]".repeat(5000))!.length < 1_000_000);
});
