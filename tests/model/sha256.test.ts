import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import fc from "fast-check";
import { sha256 } from "../../src/model/sha256.ts";

function hex(digest: Int32Array): string {
  return [...digest].map((word) => (word >>> 0).toString(16).padStart(8, "0")).join("");
}

function expected(text: string): string {
  return createHash("sha256").update(text, "utf8").digest("hex");
}

Deno.test("the digest is that of SHA-256, for texts of every length", () => {
  for (let length = 0; length <= 300; length++) {
    for (const character of ["a", "\0", "\x7f", "\x80", "\u{e9}", "\u{8a9e}", "\u{1f600}"]) {
      for (
        const text of [
          character.repeat(length),
          "a".repeat(length) + character,
          character + "b".repeat(length),
        ]
      ) {
        assert.equal(hex(sha256(text)), expected(text), JSON.stringify(text));
      }
    }
  }
});

Deno.test("the digest is that of SHA-256 for random texts, whatever came before", () => {
  const text = fc.oneof(
    fc.string({ maxLength: 130 }),
    fc.string({ minLength: 50, maxLength: 60 }),
    fc.string({ maxLength: 130, unit: "binary" }),
  );
  fc.assert(fc.property(text, (text) => assert.equal(hex(sha256(text)), expected(text))), {
    numRuns: 5000,
  });
});
