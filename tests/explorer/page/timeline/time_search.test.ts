import assert from "node:assert/strict";
import fc from "fast-check";
import { KnownTimes, TimeSearch } from "../../../../explorer/page/timeline/time_search.ts";

/** A search in a store whose events have these times, and the number of its reads. */
function storeOf(times: readonly number[]): { search: TimeSearch; asked: () => number } {
  let asked = 0;
  const search = new TimeSearch(new KnownTimes(), (sequence) => {
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

Deno.test("times that go back, after the clock was set, end the search all the same", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(1000)), fc.array(fc.nat(1000)), async (times, wanted) => {
    const { search } = storeOf(times);
    for (const time of wanted) {
      const found = await search.firstFrom(time, times.length);
      assert.ok(found >= 1 && found <= times.length + 1);
    }
  }));
});
