import assert from "node:assert/strict";
import fc from "fast-check";
import { readLines, splitLines } from "../../src/backup/history/lines.ts";

async function linesOf(pieces: readonly string[]): Promise<string[]> {
  const lines: string[] = [];
  // One buffer for all pieces, as a connection has it.
  const buffer = new Uint8Array(1000);
  async function* inTurn(): AsyncGenerator<Uint8Array> {
    for (const piece of pieces) {
      yield await buffer.subarray(0, new TextEncoder().encodeInto(piece, buffer).written);
    }
  }
  for await (const some of splitLines(inTurn())) {
    for (const line of some) lines.push(new TextDecoder().decode(line));
  }
  return lines;
}

Deno.test("lines come out whole, wherever the pieces are cut", async () => {
  const piece = fc.string({ unit: fc.constantFrom("a", "\n", "\u00e9"), maxLength: 5 });
  await fc.assert(fc.asyncProperty(fc.array(piece, { maxLength: 12 }), async (pieces) => {
    const text = `${pieces.join("")}\n`;
    assert.deepEqual(await linesOf([...pieces, "\n"]), text.split(/(?<=\n)/));
  }));
});

Deno.test("a last line without its line feed is an error, and nothing at all is no line", async () => {
  assert.deepEqual(await linesOf([]), []);
  await assert.rejects(linesOf(["a\n", "b"]), /middle of a line/);
});

Deno.test("a line that never ends is rejected by its number, while it still fits into memory", () => {
  const pieces = ["a\nb\n", "c\n"];
  const read = (bytes: Uint8Array): number => {
    const piece = pieces.shift();
    if (piece !== undefined) return new TextEncoder().encodeInto(piece, bytes).written;
    bytes.fill("d".charCodeAt(0));
    return bytes.length;
  };
  const lines: string[] = [];
  assert.throws(() => {
    for (const line of readLines(read)) lines.push(new TextDecoder().decode(line));
  }, { message: "line 4: it has more than 268435456 bytes" });
  assert.deepEqual(lines, ["a", "b", "c"]);
});
