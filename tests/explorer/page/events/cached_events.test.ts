import assert from "node:assert/strict";
import { BYTES_MAX, CachedEvents, EVENTS_MAX } from "../../../../explorer/page/events/cached_events.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";

function eventOf(sequence: number, more: Partial<StoredEvent> = {}): StoredEvent {
  return {
    sequence,
    time: "2026-01-01T00:00:00Z",
    type: "T",
    identifiers: {},
    metadata: {},
    payload: "",
    ...more,
  };
}

/** Sequences from one to another. */
const from = (first: number, last: number, more?: Partial<StoredEvent>): StoredEvent[] =>
  Array.from({ length: last - first + 1 }, (_, i) => eventOf(first + i, more));

Deno.test("of a payload, a list keeps what a row shows", () => {
  const kept = new CachedEvents();
  kept.append([eventOf(1, { payload: `${"x".repeat(399)}\u{1f600}${"y".repeat(70_000)}` }), eventOf(2)]);
  assert.equal(kept.all[0]!.payload, `${"x".repeat(399)}\ud83d`);
  for (let i = 0; i < 50; i++) kept.append(from(1, 100, { payload: "x".repeat(64 * 1024) }));
  assert.equal(kept.isFull, false);
});

Deno.test("a list of large tags ends at a number of bytes: nothing of it is left out or there twice", () => {
  const kept = new CachedEvents();
  const large = { identifiers: { n: "x".repeat(64 * 1024) } };
  let last = 0;
  while (!kept.isFull) kept.append(from(last + 1, last += 100, large));
  const sequences = kept.all.map(({ sequence }) => sequence);
  assert.deepEqual(sequences, sequences.map((_, i) => i + 1));
  assert.ok(Math.abs(sequences.length - BYTES_MAX / (2 * 64 * 1024)) < 20, String(sequences.length));
  // What comes at the beginning cuts off the end.
  kept.prepend([eventOf(0, large)]);
  assert.deepEqual(
    kept.all.map(({ sequence }) => sequence),
    kept.all.map((_, i) => i),
  );
  const { length } = kept.all;
  assert.ok(length <= sequences.length);
  assert.deepEqual([kept.take().length, kept.all.length], [length, 0]);
  assert.equal(kept.isFull, false);
});

Deno.test("a list of small events ends at a number of them", () => {
  const kept = new CachedEvents();
  kept.append(from(1, EVENTS_MAX + 5));
  assert.deepEqual([kept.all.length, kept.isFull], [EVENTS_MAX, true]);
  kept.prepend([eventOf(0)]);
  assert.deepEqual([kept.all.length, kept.all[0]!.sequence], [EVENTS_MAX, 0]);
});
