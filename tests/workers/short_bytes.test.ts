import assert from "node:assert/strict";
import { hasOwnBuffer, releaseBytes, takeBytes, textBytes } from "../../src/workers/short_bytes.ts";

/** Longer than the bytes that share a buffer. */
const LONG = 8 * 1024 + 1;

Deno.test("short bytes share buffers without overlapping", () => {
  const all = Array.from({ length: 500 }, (_, i) => takeBytes(i).fill(i % 256));
  assert.ok(new Set(all.map(({ buffer }) => buffer)).size < 10);
  for (const [i, bytes] of all.entries()) {
    assert.equal(bytes.length, i);
    assert.ok(bytes.every((byte) => byte === i % 256));
    if (i > 0) assert.ok(!hasOwnBuffer(bytes));
  }
});

Deno.test("no bytes at all have no buffer of their own either, even as the first of a thread", async () => {
  const module = new URL("../../src/workers/short_bytes.ts?first", import.meta.url).href;
  const fresh: { takeBytes: typeof takeBytes } = await import(module);
  assert.ok(!hasOwnBuffer(fresh.takeBytes(0)));
});

Deno.test("long bytes have a buffer of their own", () => {
  const bytes = takeBytes(LONG);
  assert.equal(bytes.length, LONG);
  assert.equal(bytes.buffer.byteLength, LONG);
  assert.ok(hasOwnBuffer(bytes));
});

Deno.test("a text becomes the bytes of its UTF-8, short or long, with any characters", () => {
  for (const unit of ["x", "\u00e9", "\u20ac", "\u{1f600}"]) {
    for (const length of [0, 1, 100, LONG / 3, LONG / 2, LONG - 1, LONG, 3 * LONG]) {
      const text = unit.repeat(Math.floor(length / unit.length));
      assert.deepEqual(new Uint8Array(textBytes(text)), new TextEncoder().encode(text));
    }
    const mixed = `${"x".repeat(100)}${unit}`;
    assert.equal(new TextDecoder().decode(textBytes(mixed)), mixed);
  }
});

Deno.test("released bytes free their own memory, and no other", () => {
  const [long, short, other] = [takeBytes(LONG), takeBytes(10).fill(1), takeBytes(10).fill(2)];
  releaseBytes(long);
  assert.equal(long.length, 0);
  releaseBytes(short);
  assert.deepEqual([...other], new Array(10).fill(2));
});
