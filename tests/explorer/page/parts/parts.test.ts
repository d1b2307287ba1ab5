import assert from "node:assert/strict";
import fc from "fast-check";
import { prettyParts } from "../../../../explorer/page/parts/payload.ts";
import { visibleLine, visibleText } from "../../../../explorer/page/parts/visible_text.ts";
import { bodyText } from "../../../../explorer/page/store/body_text.ts";

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

const LINE = "0123456789\n";

/** An answer in pieces, and a function that says if its reader cancelled it. */
function answerOf(pieces: readonly string[]): { response: Response; wasLeft: () => boolean } {
  let wasLeft = false;
  const rest = pieces.map((piece) => new TextEncoder().encode(piece));
  const body = new ReadableStream({
    pull(controller) {
      const piece = rest.shift();
      if (piece === undefined) controller.close();
      else controller.enqueue(piece);
    },
    cancel: () => void (wasLeft = true),
  }, { highWaterMark: 0 });
  return { response: new Response(body), wasLeft: () => wasLeft };
}

Deno.test("an answer is read as a whole, or left once it is too large", async () => {
  const small = answerOf([LINE, LINE, "0123"]);
  assert.deepEqual(await bodyText(small.response), { text: `${LINE}${LINE}0123`, isLeft: false });
  const large = answerOf([LINE, LINE, LINE, "0123"]);
  assert.deepEqual(await bodyText(large.response, 15), { text: LINE + LINE, isLeft: true });
  assert.deepEqual([small.wasLeft(), large.wasLeft()], [false, true]);
});

Deno.test("the first line is read as a whole, however long it is", async () => {
  const { response } = answerOf(["0123", "4567", "89\nab", "cd\n"]);
  assert.deepEqual(await bodyText(response, 2), { text: "0123456789\nab", isLeft: true });
});

Deno.test("a character that comes in two pieces is one, and no body is no text", async () => {
  const bytes = new TextEncoder().encode("\u00e9\n");
  const body = new ReadableStream({
    start(controller) {
      for (const byte of bytes) controller.enqueue(Uint8Array.of(byte));
      controller.close();
    },
  });
  assert.deepEqual(await bodyText(new Response(body)), { text: "\u00e9\n", isLeft: false });
  assert.deepEqual(await bodyText(new Response(null, { status: 204 })), { text: "", isLeft: false });
});
