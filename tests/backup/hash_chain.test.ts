import assert from "node:assert/strict";
import { createHash } from "node:crypto";
import { HashChain, isSameChain } from "../../src/backup/history/hash_chain.ts";

const LINES = ["one\n", "\u20ac\0\n", `${"\u{1F600}".repeat(50_000)}\n`, "\n", `${"x".repeat(300_000)}\n`];

Deno.test("the chain is SHA-256 over the chain before and the line, beginning with 32 zero bytes", () => {
  const chain = new HashChain();
  assert.deepEqual(chain.value, new Uint8Array(32));
  let expected = new Uint8Array(32);
  for (const line of LINES) {
    chain.add(line);
    expected = Uint8Array.from(createHash("sha256").update(expected).update(line).digest());
    assert.deepEqual(chain.value, expected);
    assert.equal(chain.hex, expected.toHex());
  }
});

Deno.test("text and bytes make the same chain, also when it is taken up again", () => {
  const whole = new HashChain();
  let pieces = new HashChain();
  for (const line of LINES) {
    whole.add(line);
    pieces = new HashChain(pieces.value);
    pieces.add(new TextEncoder().encode(line));
  }
  assert.ok(isSameChain(whole.value, pieces.value));
  pieces.add("\n");
  assert.equal(isSameChain(whole.value, pieces.value), false);
  assert.equal(isSameChain(whole.value, whole.value.slice(1)), false);
  assert.throws(() => new HashChain(new Uint8Array(31)), /32 bytes, not 31/);
});
