import assert from "node:assert/strict";
import fc from "fast-check";
import { type Message, MessageReader } from "../../../../src/store/postgres/protocol/message_reader.ts";

/** Returns bytes in pieces of these sizes, over and over. */
function sourceOf(
  bytes: Uint8Array,
  sizes: readonly number[],
): { read(into: Uint8Array): Promise<number | null> } {
  let at = 0;
  let turn = 0;
  return {
    read(into) {
      if (at === bytes.length) return Promise.resolve(null);
      const piece = bytes.subarray(at, at + Math.min(into.length, sizes[turn++ % sizes.length]!));
      into.set(piece);
      at += piece.length;
      return Promise.resolve(piece.length);
    },
  };
}

function bytesOf(messages: readonly Message[]): Uint8Array {
  return new Uint8Array(messages.flatMap(({ kind, body }) => {
    const head = new DataView(new ArrayBuffer(5));
    head.setUint8(0, kind.charCodeAt(0));
    head.setInt32(1, body.length + 4);
    return [...new Uint8Array(head.buffer), ...body];
  }));
}

async function readAll(reader: MessageReader): Promise<Message[]> {
  const messages: Message[] = [];
  do {
    for (let next = reader.received(); next !== undefined; next = reader.received()) messages.push(next);
  } while (await reader.receive());
  return messages;
}

Deno.test("messages are read as they were written, however they are divided, and stay unchanged", async () => {
  const message = fc.record({
    kind: fc.constantFrom("D", "C", "Z"),
    body: fc.oneof(fc.nat(40), fc.constantFrom(0, 65_530, 65_531, 70_000, 200_000)).map((length) =>
      Uint8Array.from({ length }, (_, i) => (i * 31 + length) % 251)
    ),
  });
  await fc.assert(
    fc.asyncProperty(
      fc.array(message, { maxLength: 8 }),
      fc.array(fc.constantFrom(1, 4, 5, 6, 1000, 65_536), { minLength: 1, maxLength: 4 })
        .filter((sizes) => sizes.some((size) => size >= 1000)),
      async (messages, sizes) => {
        const found = await readAll(new MessageReader(sourceOf(bytesOf(messages), sizes)));
        assert.deepEqual(
          found.map(({ kind, body }) => [kind, [...body]]),
          messages.map(({ kind, body }) => [kind, [...body]]),
        );
      },
    ),
    { numRuns: 30 },
  );
});

Deno.test("bytes that are not a message are rejected, whatever length they state", async () => {
  for (const length of [-1, 0, 3, 2 ** 31 - 1]) {
    const head = new DataView(new ArrayBuffer(5));
    head.setInt32(1, length);
    const reader = new MessageReader(sourceOf(new Uint8Array(head.buffer), [5]));
    await assert.rejects(readAll(reader), /this is not PostgreSQL/);
  }
});

Deno.test("a long message is rejected by its length, until its source is trusted", async () => {
  const head = Uint8Array.of("E".charCodeAt(0), 0, 0, 1, 0);
  const strict = new MessageReader(sourceOf(head, [head.length]), 255);
  await strict.receive();
  assert.throws(() => strict.received(), /this is not PostgreSQL/);
  const trusting = new MessageReader(sourceOf(head, [head.length]), 255);
  trusting.trust();
  await trusting.receive();
  assert.equal(trusting.received(), undefined);
});
