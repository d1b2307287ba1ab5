import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, type Query } from "../../../../src/model/query.ts";
import { isInTimeRange, type TimeRange } from "../../../../src/model/time_range.ts";
import { findEvents } from "../../../../src/store/sqlite/reading/find_events.ts";
import { readChunk } from "../../../../src/store/sqlite/reading/read_chunk.ts";
import type { Range } from "../../../../src/store/core/ranges/direction.ts";
import { rangesInTime } from "../../../../src/store/sqlite/tables/time_index.ts";
import { sequencesOf as sequencesIn } from "../../chunks.ts";
import { newEvent, queryOf } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

const EVENTS = 5000;
const START = 1_700_000_000_000_000;
const EVER: TimeRange = { fromMicros: Number.MIN_SAFE_INTEGER, beforeMicros: Number.MAX_SAFE_INTEGER };

/** A store whose clock advances by one second per event, except for the jumps that `jumpAt` names. */
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
  { after, upTo }: Range,
): number[] {
  return times.flatMap((timeMicros, i) => {
    const event = newEvent(i % 3 === 0 ? "third" : "other", [], "");
    const found = i + 1 > after && i + 1 <= upTo && isInTimeRange(time, timeMicros) && matches(query, event);
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
      const expected = sequencesOf(times, query, time, { after, upTo: head });
      for (const direction of ["forwards", "backwards"] as const) {
        const range = { after, upTo: head };
        const search = { query, time, range, direction, head: EVENTS, limit: Infinity };
        const found = [...findEvents(store.db, search)].flatMap(({ rows }) => rows)
          .filter(({ timeMicros }) => isInTimeRange(time, timeMicros));
        const inOrder = direction === "forwards" ? expected : expected.toReversed();
        assert.deepEqual(found.map(({ sequence }) => sequence), inOrder);
        const request = { query, time, afterSequence: after, backwards: direction === "backwards" };
        const page = readChunk(store.db, { ...request, head, limit: 5 }, false);
        assert.deepEqual(sequencesIn(page), inOrder.slice(0, 5));
        assert.deepEqual(page.end, { hasMore: expected.length > 5 });
      }
    }),
    { numRuns: 150 },
  );
});

Deno.test("a read of a few moments looks at the blocks that hold them, not at the whole store", () => {
  const { store } = storeWith(() => 0);
  using _ = store;
  const time = { fromMicros: START + 3000 * 1_000_000, beforeMicros: START + 3003 * 1_000_000 };
  const whole = { after: 0, upTo: EVENTS };
  const never = { fromMicros: START - 2, beforeMicros: START - 1 };
  for (const direction of ["forwards", "backwards"] as const) {
    const ranges = [...rangesInTime(store.db, whole, time, direction)];
    assert.equal(ranges.length, 1);
    assert.ok(ranges[0]!.after < 3001 && ranges[0]!.upTo >= 3003, "they are there");
    assert.ok(ranges[0]!.upTo - ranges[0]!.after <= 1024, "in one block");
    assert.deepEqual([...rangesInTime(store.db, whole, EVER, direction)], [whole]);
    assert.deepEqual([...rangesInTime(store.db, whole, never, direction)], []);
  }
});

Deno.test("backwards, the parts of a range that hold a time are the same ones, from the last to the first", () => {
  // The clock goes back again and again, so that the time occurs in many parts of the store.
  const { store } = storeWith((i) => -(i >> 11) * 2048 * 1_000_000);
  using _ = store;
  const part = fc.tuple(fc.nat(EVENTS), fc.nat(EVENTS)).map(([a, b]) => [Math.min(a, b), Math.max(a, b)]);
  fc.assert(
    fc.property(part, part, ([after, upTo], [from, before]) => {
      const range = { after: after!, upTo: upTo! };
      const time = { fromMicros: START + from! * 1_000_000, beforeMicros: START + before! * 1_000_000 };
      const forwards = [...rangesInTime(store.db, range, time)];
      assert.deepEqual([...rangesInTime(store.db, range, time, "backwards")], forwards.toReversed());
    }),
    { numRuns: 200 },
  );
});
