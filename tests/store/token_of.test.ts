import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { tokenOf } from "../../src/store/token_of.ts";

function expected(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex").slice(0, 32);
}

Deno.test("a token is the first 128 bits of SHA-256, for texts of every length", () => {
  for (let length = 0; length <= 300; length++) {
    for (const character of ["a", "\0", "\x7f", "\x80", "\u{e9}", "\u{8a9e}", "\u{1f600}"]) {
      // At every place, since a text is ASCII only when all of it is.
      for (
        const text of [
          character.repeat(length),
          "a".repeat(length) + character,
          character + "b".repeat(length),
        ]
      ) {
        assert.equal(tokenOf(text), expected(text), JSON.stringify(text));
      }
    }
  }
});

Deno.test("a token is that of SHA-256 for random texts, whatever came before", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 130 }),
    fc.string({ minLength: 50, maxLength: 60 }),
    fc.string({ maxLength: 130, unit: "binary" }),
  );
  fc.assert(fc.property(text, (text) => assert.equal(tokenOf(text), expected(text))), { numRuns: 20_000 });
});
