import assert from "node:assert/strict";
import fc from "fast-check";
import { countByTime, TimeSearch } from "../../../../explorer/page/timeline/time_search.ts";

/** A store whose events have these times, and how often it was asked. */
function storeOf(times: readonly number[]): { search: TimeSearch; asked: () => number } {
  let asked = 0;
  const search = new TimeSearch((sequence) => {
    asked++;
    return Promise.resolve(times[sequence - 1] ?? Infinity);
  });
  return { search, asked: () => asked };
}

const ascending = fc.array(fc.nat(1000)).map((times) => times.toSorted((a, b) => a - b));

Deno.test("the first event from a time on is found, whatever was looked for before", async () => {
  await fc.assert(
    fc.asyncProperty(ascending, fc.array(fc.nat(1100), { minLength: 1 }), async (times, wanted) => {
      const { search } = storeOf(times);
      for (const time of wanted) {
        const index = times.findIndex((other) => other >= time);
        assert.equal(await search.firstFrom(time, times.length), index < 0 ? times.length + 1 : index + 1);
      }
    }),
  );
});

Deno.test("events that come later are found although the end was known", async () => {
  const times = [10, 20, 30];
  const { search } = storeOf(times);
  assert.equal(await search.firstFrom(35, 3), 4);
  times.push(40, 50);
  assert.equal(await search.firstFrom(35, 5), 4);
  assert.equal(await search.firstFrom(45, 5), 5);
});

Deno.test("every event of a span is in one bar", async () => {
  const span = fc.record({ from: fc.nat(1000), length: fc.integer({ min: 1, max: 1000 }) });
  await fc.assert(
    fc.asyncProperty(
      ascending,
      span,
      fc.integer({ min: 1, max: 20 }),
      async (times, { from, length }, bars) => {
        const counted = await countByTime(
          storeOf(times).search,
          { from, before: from + length },
          bars,
          times.length,
        );
        assert.equal(counted.length, bars);
        const all = counted.reduce((sum, { count }) => sum + count, 0);
        assert.equal(all, times.filter((time) => time >= from && time < from + length).length);
        for (const { count } of counted) {
          assert.ok(count >= 0);
        }
      },
    ),
  );
});

Deno.test("a million events are counted with some hundred single reads, near enough for a drawing", async () => {
  const times = Array.from({ length: 1_000_000 }, (_, i) => i * 10 + (i % 1000 < 500 ? 0 : 3));
  const { search, asked } = storeOf(times);
  const bars = await countByTime(search, { from: 0, before: 10_000_000 }, 90, times.length);
  for (const { count } of bars) assert.ok(Math.abs(count - 1_000_000 / 90) < 1200, String(count));
  assert.ok(asked() < 400, `${asked()} reads`);
});

Deno.test("times that go back, after the clock was set, end the search all the same", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(1000)), fc.array(fc.nat(1000)), async (times, wanted) => {
    const { search } = storeOf(times);
    for (const time of wanted) {
      const found = await search.firstFrom(time, times.length);
      assert.ok(found >= 1 && found <= times.length + 1);
    }
    const bars = await countByTime(search, { from: 0, before: 1001 }, 7, times.length);
    for (const { count } of bars) assert.ok(count >= 0);
  }));
});
