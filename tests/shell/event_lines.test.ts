import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../client/mod.ts";
import { Wrong } from "../../src/shell/ends.ts";
import { eventBatches } from "../../src/shell/event_lines.ts";

const RUNS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 2500 : 50;

async function* inPieces(bytes: Uint8Array, sizes: readonly number[]): AsyncGenerator<Uint8Array> {
  const buffer = new Uint8Array(1 << 16);
  for (let at = 0, i = 0; at < bytes.length; i++) {
    const size = sizes[i % sizes.length]!;
    const piece = bytes.subarray(at, at + size);
    // Reuses its buffer, as a stream may do.
    buffer.set(piece);
    yield buffer.subarray(0, piece.length);
    at += size;
  }
}

async function batchesOf(text: string, sizes: readonly number[], count: number): Promise<NewEvent[][]> {
  const batches: NewEvent[][] = [];
  for await (const batch of eventBatches(inPieces(new TextEncoder().encode(text), sizes), "it", count)) {
    batches.push(batch);
  }
  return batches;
}

Deno.test("lines are found however the bytes are divided, and come in batches of the requested size", async () => {
  const text = fc.string({ unit: "grapheme", maxLength: 20 }).filter((text) => text.isWellFormed());
  const event = fc.record({ type: text.map((type) => `t${type}`), payload: text });
  const ending = fc.constantFrom("\n", "\r\n", "\n\n", "\n \t\n");
  const sizes = fc.array(fc.integer({ min: 1, max: 60 }), { minLength: 1 });
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.tuple(event, ending)),
      sizes,
      fc.integer({ min: 1, max: 5 }),
      fc.boolean(),
      async (lines, sizes, count, isEnded) => {
        const whole = lines.map(([event, ending]) => JSON.stringify(event) + ending).join("");
        const batches = await batchesOf(isEnded ? whole : whole.replace(/\s+$/, ""), sizes, count);
        const expected = lines.map(([event]) => ({ ...event, identifiers: {}, metadata: {} }));
        assert.deepEqual(batches.flat(), expected);
        assert.ok(batches.slice(0, -1).every(({ length }) => length === count));
        assert.ok(batches.every(({ length }) => length > 0 && length <= count));
      },
    ),
    { numRuns: RUNS },
  );
});

Deno.test("a name that every object inherits is a tag like any other", async () => {
  const line = '{"type":"t","identifiers":{"__proto__":"1","constructor":["2","3"]},"payload":""}\n';
  const [[event]] = await batchesOf(line, [10], Infinity) as [[NewEvent]];
  assert.deepEqual(Object.entries(event.identifiers!), [["__proto__", ["1"]], ["constructor", ["2", "3"]]]);
});

Deno.test("input without an end is rejected before it fills the memory", async () => {
  async function* endless(piece: Uint8Array): AsyncGenerator<Uint8Array> {
    for (;;) yield piece;
  }
  for (const text of ["x".repeat(1 << 20), `{"type":"t","payload":"${"x".repeat(1 << 20)}"}\n`]) {
    const batches = eventBatches(endless(new TextEncoder().encode(text)), "it", Infinity);
    await assert.rejects(
      batches.next(),
      (error) => error instanceof Wrong && /^it: more than 64 MiB at once; use --batch$/.test(error.message),
    );
  }
});
