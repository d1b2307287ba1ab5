import assert from "node:assert/strict";
import { BufferedBytes, DroppedBytes } from "../../../src/http/transport/body_bytes.ts";

const MIB = 1024 * 1024;

Deno.test("the buffer grows with the received bytes, and never takes more than its capacity", () => {
  const kept = new BufferedBytes(4096, MIB);
  const chunk = new Uint8Array(10_000).fill(7);
  const takeUpTo = (bytes: number): number => {
    while (kept.length < bytes) kept.add(chunk, 0, Math.min(chunk.length, bytes - kept.length));
    return kept.bytes.buffer.byteLength;
  };
  assert.ok(takeUpTo(100_000) <= 200_000);
  assert.equal(takeUpTo(MIB), MIB);
  kept.capacityBytes = 39_000_000;
  assert.equal(takeUpTo(35_000_000), 39_000_000);
  assert.equal(takeUpTo(39_000_000), 39_000_000);
  assert.ok(kept.bytes.every((byte) => byte === 7));
});

Deno.test("dropped bytes use the same small buffer again and again", () => {
  const dropped = new DroppedBytes();
  dropped.add(new Uint8Array(100), 10, 90);
  assert.equal(dropped.length, 80);
  const memory = dropped.memory(50 * MIB);
  assert.ok(memory.length <= 16 * 1024);
  assert.equal(dropped.memory(50 * MIB).buffer, memory.buffer);
});
