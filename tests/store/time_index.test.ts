import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, type Query } from "../../src/model/query.ts";
import { isWithin, type TimeRange } from "../../src/model/time_range.ts";
import { findEvents } from "../../src/store/find_events.ts";
import type { Range } from "../../src/store/range.ts";
import { readChunk } from "../../src/store/read_chunk.ts";
import { rangesWithin } from "../../src/store/time_index.ts";
import { newEvent, queryOf, storeWrite, TestStore } from "./test_store.ts";
import { Writer } from "../../src/store/writer.ts";

const EVENTS = 5000;
const START = 1_700_000_000_000_000;
const EVER: TimeRange = { fromMicros: Number.MIN_SAFE_INTEGER, beforeMicros: Number.MAX_SAFE_INTEGER };

/** A store whose clock went on by one second per event, but for the jumps that `jumpAt` names. */
function storeWith(jumpAt: (i: number) => number): { store: TestStore; times: number[] } {
  const store = new TestStore();
  const times = Array.from({ length: EVENTS }, (_, i) => START + i * 1_000_000 + jumpAt(i));
  const events = times.map((_, i) => newEvent(i % 3 === 0 ? "third" : "other", [], ""));
  // In pieces of odd sizes, so that blocks are filled by several writes and writes reach into several blocks.
  for (let start = 0, size = 1; start < EVENTS; start += size, size = (size * 7) % 2999 + 1) {
    store.append(events.slice(start, start + size), times.slice(start, start + size));
  }
  return { store, times };
}

function sequencesOf(
  times: readonly number[],
  query: Query,
  time: TimeRange,
  { after, head }: Range,
): number[] {
  return times.flatMap((timeMicros, i) => {
    const event = newEvent(i % 3 === 0 ? "third" : "other", [], "");
    const found = i + 1 > after && i + 1 <= head && isWithin(time, timeMicros) && matches(query, event);
    return found ? [i + 1] : [];
  });
}

Deno.test("reads by time find exactly the events of those moments, also after the clock went back", () => {
  const { store, times } = storeWith((i) => (i > 1500 && i < 1600 ? -900_000_000 : 0) - (i > 4000 ? 5e9 : 0));
  using _ = store;
  const moment = fc.oneof(
    fc.integer({ min: -10, max: EVENTS + 10 }).map((i) => START + i * 1_000_000),
    fc.constantFrom(EVER.fromMicros, EVER.beforeMicros, START - 5e9),
    fc.nat({ max: EVENTS - 1 }).map((i) => times[i]!),
  );
  const query = fc.constantFrom<Query>(
    "every",
    "none",
    queryOf(["third"]),
    queryOf(["no"]),
  );
  fc.assert(
    fc.property(moment, moment, query, fc.nat(EVENTS), fc.nat(EVENTS), (a, b, query, after, head) => {
      const time = { fromMicros: Math.min(a, b), beforeMicros: Math.max(a, b) };
      const expected = sequencesOf(times, query, time, { after, head });
      for (const eventsMax of [3, Infinity]) {
        const found = [...findEvents(store.db, { query, time, range: { after, head } }, eventsMax)].flat();
        assert.deepEqual(found.map(([sequence]) => sequence), expected.slice(0, eventsMax));
      }
      const page = readChunk(store.db, { query, time, after, head, eventsMax: 5 });
      assert.equal(page.events, Math.min(5, expected.length));
      assert.deepEqual(page.end, { hasMore: expected.length > 5 });
    }),
    { numRuns: 150 },
  );
});

Deno.test("a read of a few moments looks at the blocks that hold them, not at the whole store", () => {
  const { store } = storeWith(() => 0);
  using _ = store;
  const time = { fromMicros: START + 3000 * 1_000_000, beforeMicros: START + 3003 * 1_000_000 };
  const ranges = [...rangesWithin(store.db, { after: 0, head: EVENTS }, time)];
  assert.equal(ranges.length, 1);
  assert.ok(ranges[0]!.after < 3001 && ranges[0]!.head >= 3003, "they are there");
  assert.ok(ranges[0]!.head - ranges[0]!.after <= 1024, "in one block");
  assert.deepEqual([...rangesWithin(store.db, { after: 0, head: EVENTS }, EVER)], [{
    after: 0,
    head: EVENTS,
  }]);
  const never = { fromMicros: START - 2, beforeMicros: START - 1 };
  assert.deepEqual([...rangesWithin(store.db, { after: 0, head: EVENTS }, never)], []);
});

Deno.test("a reset empties the time index", () => {
  const { store } = storeWith(() => 0);
  using _ = store;
  const writer = new Writer(store.db);
  assert.equal(writer.reset(), undefined);
  assert.deepEqual(store.db.all("SELECT * FROM time_block"), []);
  writer.group([storeWrite([newEvent("third", [], "")])]);
  assert.equal(store.db.all("SELECT * FROM time_block").length, 1);
});
