import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../../src/model/event.ts";
import { matches } from "../../../src/model/query.ts";
import type { ReadRequest } from "../../../src/model/read_request.ts";
import { isInTimeRange, type TimeRange } from "../../../src/model/time_range.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { event, queryFor } from "../arbitraries.ts";
import { chunksOf, sequencesOf } from "../chunks.ts";
import { changing, newEvent, prepared } from "../made_writes.ts";
import { DONE, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";

/** Reads between two sequences, the oldest events first or the newest. */
export function contractOfDirections(test: StoreTest): void {
  test("pages in both directions, between any bounds, agree with matches()", async (store) => {
    await fc.assert(
      fc.asyncProperty(storeAndReads(), async ({ events, reads }) => {
        assert.deepEqual(await store.writer.reset(), DONE);
        await append(store, events);
        for (const read of reads) await assertAgree(store, events, read);
      }),
      { numRuns: 15 },
    );
  });

  test("a page backwards ends at the head of its first chunk, despite later writes", async (store) => {
    const large = (): EventAt => ({ event: newEvent("t", [], "x".repeat(150_000)), timeMicros: 0 });
    await append(store, Array.from({ length: 9 }, large));
    const sequences: number[] = [];
    for await (const chunk of chunksOf(store.reads, { head: 8, backwards: true, limit: 7 })) {
      sequences.push(...sequencesOf(chunk));
      await append(store, [large()]);
    }
    assert.deepEqual(sequences, [8, 7, 6, 5, 4, 3, 2]);
  });
}

interface EventAt {
  readonly event: NewEvent;
  readonly timeMicros: number;
}

async function append(store: Store, events: readonly EventAt[]): Promise<void> {
  const stored = events.map(({ event, timeMicros }) => prepared(event, timeMicros));
  written((await store.writer.group([{ ...changing({}), events: stored }]))[0]);
}

/** Stores whose pages come in one chunk or in many, and whose times go back now and then. */
function storeAndReads(): fc.Arbitrary<{ events: EventAt[]; reads: ReadRequest[] }> {
  const shapes = fc.array(event, { minLength: 1, maxLength: 12 });
  const form = fc.record({
    shapes,
    length: fc.constantFrom(0, 3, 70, 400),
    largeEvery: fc.constantFrom(13, Infinity),
  });
  return form.chain(({ shapes, length, largeEvery }) => {
    const events = Array.from({ length }, (_, i) => {
      const shape = shapes[(i * 7 + (i >> 4)) % shapes.length]!;
      const payload = i % largeEvery === 0 ? "x".repeat(60_000) : "";
      return { event: { ...shape, payload }, timeMicros: (i % 90) * 1000 };
    });
    const sequence = fc.integer({ min: 0, max: length + 3 });
    const time: fc.Arbitrary<TimeRange> = fc.tuple(fc.nat(95), fc.nat(95)).map(([a, b]) => ({
      fromMicros: Math.min(a, b) * 1000,
      beforeMicros: Math.max(a, b) * 1000,
    }));
    const read = fc.record({
      query: queryFor(shapes),
      afterSequence: fc.oneof(fc.constant(0), sequence),
      beforeSequence: fc.option(sequence.map((before) => before + 1), { nil: undefined }),
      backwards: fc.option(fc.boolean(), { nil: undefined }),
      time: fc.option(time, { nil: undefined }),
      limit: fc.oneof(fc.constantFrom(1, 2, Infinity), fc.integer({ min: 1, max: 100 })),
    });
    return fc.record({ events: fc.constant(events), reads: fc.array(read, { minLength: 6, maxLength: 12 }) });
  });
}

async function assertAgree(store: Store, events: readonly EventAt[], read: ReadRequest): Promise<void> {
  const { query, afterSequence: after, beforeSequence = Infinity, time } = read;
  const matching = events.flatMap(({ event, timeMicros }, i) => {
    const isWanted = i + 1 > after && i + 1 < beforeSequence && matches(query, event) &&
      (time === undefined || isInTimeRange(time, timeMicros));
    return isWanted ? [i + 1] : [];
  });
  const inOrder = read.backwards ? matching.toReversed() : matching;
  const upTo = Math.max(after, Math.min(events.length, beforeSequence - 1));
  const { sequences, last, hasMore } = await pageOf(store, read, upTo);
  assert.deepEqual(sequences, inOrder.slice(0, read.limit));
  assert.equal(hasMore, inOrder.length > read.limit);
  if (!hasMore) assert.equal(last, read.backwards ? after : upTo, "a complete page has come to its end");
  // An event behind the limit is the first of the next page.
  else assert.equal(read.backwards ? last : last + 1, inOrder[read.limit]);
}

async function pageOf(
  store: Store,
  read: ReadRequest,
  upTo: number,
): Promise<{ sequences: number[]; last: number; hasMore: boolean }> {
  const sequences: number[] = [];
  for await (const chunk of chunksOf(store.reads, read)) {
    sequences.push(...sequencesOf(chunk));
    const { last, end } = chunk;
    assert.ok(last >= read.afterSequence && last <= upTo, `${last} lies outside of the bounds`);
    if (end !== false) return { sequences, last, hasMore: end.hasMore };
  }
  return assert.fail("the page has no end");
}
