import assert from "node:assert/strict";
import fc from "fast-check";
import type { Chunk, ChunkRequest } from "../../../../src/store/api/chunk.ts";
import type { Outcome } from "../../../../src/store/api/outcome.ts";
import { chunkCodec, stepCodec } from "../../../../src/store/sqlite/workers/codecs.ts";
import { groupCodec, writeInsideCodec } from "../../../../src/store/sqlite/workers/group_codec.ts";
import type { AttemptResult, StoreWrite } from "../../../../src/store/api/write.ts";
import type { CallCodec } from "../../../../src/workers/call_codec.ts";
import { SharedReader, SharedWriter } from "../../../../src/workers/shared_bytes.ts";

/** The decoded value, or undefined when the codec leaves it to a message. */
function sent<Args extends readonly unknown[], Value>(
  codec: CallCodec<Args, Value>,
  args: Args,
  memoryBytes = 1 << 20,
): Args | undefined {
  const memory = new SharedArrayBuffer(memoryBytes);
  const to = new SharedWriter(memory, 16, memory.byteLength);
  return codec.writeArgs(to, ...args) && !to.isFull
    ? codec.readArgs(new SharedReader(memory, 16))
    : undefined;
}

function returned<Args extends readonly unknown[], Value>(
  codec: CallCodec<Args, Value>,
  value: Value,
): [value: Value] | undefined {
  const memory = new SharedArrayBuffer(1 << 20);
  const to = new SharedWriter(memory, 16, memory.byteLength);
  return codec.writeValue(to, value) && !to.isFull
    ? [codec.readValue(new SharedReader(memory, 16))]
    : undefined;
}

const text = fc.string({ unit: "grapheme", maxLength: 20 });
const sequence = fc.nat({ max: Number.MAX_SAFE_INTEGER });
const tag = fc.record({ name: text, value: text });
const item = fc.record({ types: fc.array(text), identifiers: fc.array(tag), metadata: fc.array(tag) });
const query = fc.oneof(fc.constantFrom("every" as const, "none" as const), fc.array(item, { maxLength: 3 }));
const key = { type: text, id: text };

const write: fc.Arbitrary<StoreWrite> = fc.record({
  hasBudget: fc.boolean(),
  conditions: fc.array(
    fc.record({ failIfEventsMatch: query, afterSequence: sequence, store: text }, {
      requiredKeys: ["failIfEventsMatch", "afterSequence"],
    }),
    { maxLength: 3 },
  ),
  projections: fc.record({
    create: fc.array(fc.record({ ...key, payload: text }), { maxLength: 2 }),
    replace: fc.array(fc.record({ ...key, payload: text, version: text }), { maxLength: 2 }),
    delete: fc.array(fc.record({ ...key, version: text }), { maxLength: 2 }),
  }),
  events: fc.array(fc.record({ timeMicros: sequence, body: text, terms: text }), { maxLength: 3 }),
});

Deno.test("a group of writes is received as it was sent", () => {
  fc.assert(fc.property(fc.array(write, { maxLength: 5 }), (writes) => {
    assert.deepEqual(plain(sent(groupCodec, [writes])), plain([writes]));
  }));
});

Deno.test("the outcomes of a group are received as they were; one that failed is left to a message", () => {
  const result: fc.Arbitrary<AttemptResult> = fc.oneof(
    fc.record({
      kind: fc.constant("written" as const),
      storeId: text,
      firstSequence: sequence,
      versions: fc.record({
        create: fc.array(fc.record({ version: text }), { maxLength: 2 }),
        replace: fc.array(fc.record({ version: text }), { maxLength: 2 }),
      }),
    }),
    fc.constant<AttemptResult>({ kind: "overBudget" }),
    fc.constant<AttemptResult>({
      kind: "conflict",
      conflict: { list: "conditions", index: 3, cause: "eventMatches", sequence: 7 },
    }),
  );
  const outcome = result.map((value): Outcome<AttemptResult> => ({ kind: "done", value }));
  fc.assert(fc.property(fc.array(outcome, { maxLength: 5 }), (outcomes) => {
    assert.deepEqual(plain(returned(groupCodec, outcomes)), plain([outcomes]));
  }));
  assert.equal(returned(groupCodec, [{ kind: "failed", reason: "disk full" }]), undefined);
});

Deno.test("one write inside an open transaction is received as it was sent, and so is its outcome", () => {
  fc.assert(fc.property(write, (write) => {
    assert.deepEqual(plain(sent(writeInsideCodec, [write])), plain([write]));
  }));
  const written = {
    kind: "written",
    storeId: "s",
    firstSequence: 9,
    versions: { create: [], replace: [] },
  } as const;
  const outcome = { kind: "done", value: written } as const;
  assert.deepEqual(returned(writeInsideCodec, outcome), [outcome]);
});

Deno.test("the success of a step is received; its failure is left to a message", () => {
  const success = { kind: "done", value: undefined } as const;
  assert.deepEqual(returned(stepCodec, success), [success]);
  assert.equal(returned(stepCodec, { kind: "failed", reason: "disk full", code: "Unavailable" }), undefined);
});

Deno.test("a group that does not fit into the memory is left to a message", () => {
  const body = "\u00e9".repeat(300);
  const writes = [{ conditions: [], projections: NO_CHANGES, events: [{ timeMicros: 1, body, terms: "t" }] }];
  assert.equal(sent(groupCodec, [writes], 512), undefined);
  assert.notEqual(sent(groupCodec, [writes], 1024), undefined);
});

const NO_CHANGES = { create: [], replace: [], delete: [] };

Deno.test("a request for a chunk is received as it was sent, also without a limit", () => {
  const request: fc.Arbitrary<ChunkRequest> = fc.record({
    query,
    afterSequence: sequence,
    limit: fc.oneof(sequence, fc.constant(Infinity)),
    time: fc.option(fc.record({ fromMicros: sequence, beforeMicros: sequence }), { nil: undefined }),
    head: fc.option(sequence, { nil: undefined }),
    kept: fc.option(fc.record({ storeId: text, window: fc.record({ candidates: fc.array(sequence) }) }), {
      nil: undefined,
    }),
  });
  fc.assert(fc.property(request, (request) => {
    assert.deepEqual(plain(sent(chunkCodec, [request])), plain([request]));
  }));
});

Deno.test("a chunk is received as it was, with memory of its own", () => {
  const chunk: Chunk = {
    storeId: "s",
    head: 7,
    events: 1,
    last: 5,
    end: { hasMore: true },
    lines: new TextEncoder().encode('{"sequence":5}\n'),
  };
  const [received] = returned(chunkCodec, chunk)!;
  assert.deepEqual(received, chunk);
  assert.ok(received.lines.buffer instanceof ArrayBuffer);
});

/** Removes the keys whose value is undefined: they mean the same as missing ones. Keeps Infinity. */
function plain(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (_, part) => part === Infinity ? "Infinity" : part) ?? "null");
}
