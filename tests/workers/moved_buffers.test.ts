import assert from "node:assert/strict";
import { takeBytes } from "../../src/workers/short_bytes.ts";
import { movedBuffers } from "../../src/workers/moved_buffers.ts";

Deno.test("the bytes of lines and of bodies are moved, also those of a list", () => {
  const [lines, body] = [new Uint8Array(1), new Uint8Array(2)];
  assert.deepEqual(movedBuffers([{ lines }, undefined, "text", { body }]), [lines.buffer, body.buffer]);
  assert.deepEqual(movedBuffers([[{ lines }, { lines: body }]]), [lines.buffer, body.buffer]);
  assert.deepEqual(movedBuffers([{ lines: "text" }, []]), []);
});

Deno.test("bytes that share a buffer with others stay where they are", () => {
  assert.deepEqual(movedBuffers([{ lines: takeBytes(5) }, { body: takeBytes(5) }]), []);
});
