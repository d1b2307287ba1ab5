import assert from "node:assert/strict";
import { EventFeed } from "../../../../explorer/page/events/event_feed.ts";
import { NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import { KnownTimes } from "../../../../explorer/page/timeline/time_search.ts";
import { START } from "../../../../explorer/page/frame/route.ts";
import { Seen } from "../../../../explorer/page/filter/seen.ts";
import { type EventsRequest, StoreCalls } from "../../../../explorer/page/store/store_calls.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";

const HEAD = 200_000;

function eventOf(sequence: number): StoredEvent {
  return { sequence, time: "2026-01-01T00:00:00Z", type: "T", identifiers: {}, metadata: {}, payload: "" };
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
  const feed = new EventFeed(calls, "A", new Seen(), new KnownTimes(), START);
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
  const feed = new EventFeed(calls, "A", new Seen(), new KnownTimes(), request);
  feed.prepend([eventOf(1), { ...eventOf(2), time: "2026-01-01T00:00:01.000001Z" }]);
  assert.deepEqual(feed.events.map(({ sequence }) => sequence), [2]);
});
