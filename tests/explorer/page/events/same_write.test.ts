import assert from "node:assert/strict";
import { sameWrite, sameWriteText, SIDE_MAX } from "../../../../explorer/page/events/same_write.ts";
import type { EventsRequest, ReadPage } from "../../../../explorer/page/store/store_calls.ts";
import type { StoredEvent } from "../../../../explorer/page/store/stored_event.ts";

/** A store with one event for each of these times, and the requests that it received. */
function storeOf(
  times: readonly string[],
): { events: StoredEvent[]; read: ReadPage; asked: EventsRequest[] } {
  const events = times.map((time, i) => ({
    sequence: i + 1,
    time,
    type: "T",
    identifiers: {},
    metadata: {},
    payload: "",
  }));
  const asked: EventsRequest[] = [];
  const read: ReadPage = (request) => {
    asked.push(request);
    const { afterSequence = 0, beforeSequence = Infinity, backwards = false, limit = 1 } = request;
    const found = events.filter(({ sequence }) => sequence > afterSequence && sequence < beforeSequence);
    if (backwards) found.reverse();
    return Promise.resolve({
      events: found.slice(0, limit),
      hasMore: found.length > limit,
      head: times.length,
    });
  };
  return { events, read, asked };
}

async function writeOf(times: readonly string[], sequence: number) {
  const { events, read, asked } = storeOf(times);
  const write = await sameWrite(read, "*", events[sequence - 1]!);
  const sequences = write.events.map((event) => event.sequence);
  return { sequences, hasMore: write.hasMore, asked, text: sameWriteText(write, sequence) };
}

Deno.test("the events with the same time next to an event are of the same write", async () => {
  const times = ["t0", "t1", "t1", "t1", "t2", "t1"];
  for (const sequence of [2, 3, 4]) {
    const { sequences, hasMore, text } = await writeOf(times, sequence);
    assert.deepEqual(sequences, [2, 3, 4]);
    assert.equal(hasMore, false);
    assert.equal(text, `3 events, this is number ${sequence - 1}`);
  }
});

Deno.test("an event that was written alone takes two requests for one event each", async () => {
  for (const [times, sequence] of [[["t0", "t1", "t2"], 2], [["t0"], 1], [["t0", "t1"], 2]] as const) {
    const { sequences, asked, text } = await writeOf(times, sequence);
    assert.deepEqual(sequences, [sequence]);
    assert.deepEqual(asked.map(({ limit }) => limit), [1, 1]);
    assert.equal(text, "no other event");
  }
});

Deno.test("a write at the beginning or the end of the store is whole", async () => {
  const { sequences, hasMore } = await writeOf(["t0", "t0", "t0"], 2);
  assert.deepEqual(sequences, [1, 2, 3]);
  assert.equal(hasMore, false);
});

Deno.test("of a large write the nearest events are listed", async () => {
  const { sequences, hasMore, text } = await writeOf(Array(1000).fill("t0"), 500);
  assert.deepEqual([sequences[0], sequences.at(-1)], [500 - SIDE_MAX, 500 + SIDE_MAX]);
  assert.equal(hasMore, true);
  assert.equal(text, "more than 201 events");
});
