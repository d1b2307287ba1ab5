import assert from "node:assert/strict";
import { EventFeed } from "../../../../explorer/page/events/event_feed.ts";
import { NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import { Positions } from "../../../../explorer/page/timeline/positions.ts";
import { START } from "../../../../explorer/page/frame/route.ts";
import { Seen } from "../../../../explorer/page/filter/seen.ts";
import { type EventsRequest, StoreCalls } from "../../../../explorer/page/store/store_calls.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";
import { BYTES_MAX, CachedEvents, EVENTS_MAX } from "../../../../explorer/page/events/cached_events.ts";

const HEAD = 200_000;

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

/** Answers with as many events as were requested, newest first. */
class FakeCalls extends StoreCalls {
  /** Called while a page is read. */
  meanwhile: () => void = () => {};

  override events({ beforeSequence = HEAD + 1, limit = 0 }: EventsRequest) {
    const events = Array.from({ length: limit }, (_, i) => eventOf(beforeSequence - 1 - i));
    this.meanwhile();
    return Promise.resolve({ events, hasMore: true, head: HEAD });
  }
}

Deno.test("a list that becomes full while a page is on its way has no hole", async () => {
  const calls = new FakeCalls("", { onAnswer() {}, onFailure() {}, onOtherStore() {} });
  const feed = new EventFeed(
    calls,
    "A",
    new Seen(),
    new Positions(() => Promise.reject(new Error("no time is asked for"))),
    START,
  );
  while (feed.events.length < 99_700) await feed.more();
  const fresh = Array.from({ length: 500 }, (_, i) => eventOf(HEAD + 1 + i));
  calls.meanwhile = () => feed.prepend(fresh);
  await feed.more();
  const sequences = feed.events.map(({ sequence }) => sequence);
  assert.deepEqual(sequences, sequences.map((_, i) => HEAD + 500 - i));
  assert.ok(feed.isFull);
});

Deno.test("events that come before the time that is asked for are left out", () => {
  const calls = new FakeCalls("", { onAnswer() {}, onFailure() {}, onOtherStore() {} });
  const from = Date.parse("2026-01-01T00:00:01Z");
  const request = { ...START, filter: { ...NO_FILTER, from } };
  const feed = new EventFeed(
    calls,
    "A",
    new Seen(),
    new Positions(() => Promise.reject(new Error("no time is asked for"))),
    request,
  );
  feed.prepend([eventOf(1), { ...eventOf(2), time: "2026-01-01T00:00:01.000001Z" }]);
  assert.deepEqual(feed.events.map(({ sequence }) => sequence), [2]);
});

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
