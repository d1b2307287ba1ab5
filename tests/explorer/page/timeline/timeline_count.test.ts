import assert from "node:assert/strict";
import fc from "fast-check";
import { NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import type { Bar } from "../../../../explorer/page/timeline/axis.ts";
import { countAll } from "../../../../explorer/page/timeline/count_all.ts";
import { COUNTED_MAX } from "../../../../explorer/page/timeline/match_count.ts";
import { KnownTimes, TimeSearch } from "../../../../explorer/page/timeline/time_search.ts";
import { TimelineCount } from "../../../../explorer/page/timeline/timeline_count.ts";
import { FakeStore } from "./fake_store.ts";

/** Opening a filter sends no more requests. */
const REQUESTS_MAX = 24;

const sumOf = (bars: readonly Bar[]): number => bars.reduce((sum, { count }) => sum + count, 0);

/** Events one second apart. Every `everyA`-th event is an A. */
function storeOf(events: number, everyA: number): FakeStore {
  const store = new FakeStore();
  store.add(Array.from({ length: events }, (_, i) => 1000 * i), (i) => i % everyA === 0 ? "A" : "B");
  return store;
}

const ONLY_A = { ...NO_FILTER, alternatives: [{ types: ["A"], tags: [] }] };

Deno.test("few matches are counted one by one, with few requests", async () => {
  const store = storeOf(20_000, 10);
  const known = new KnownTimes();
  const { bars, axis } = (await new TimelineCount(store.read, ONLY_A, "A", known).look())!;
  assert.equal(sumOf(bars), 2000);
  assert.ok(bars.every(({ isEstimated }) => !isEstimated));
  const times = store.events.filter(({ type }) => type === "A").map(({ time }) => Date.parse(time));
  for (const { from, count } of bars) {
    assert.equal(count, times.filter((time) => time >= from && time < from + axis.width).length);
  }
  assert.ok(store.asked <= REQUESTS_MAX, `${store.asked} requests`);
});

Deno.test("of very many matches, the newest are counted and the older ones estimated", async () => {
  const store = storeOf(50_000, 2);
  const { bars } = (await new TimelineCount(store.read, ONLY_A, "A", new KnownTimes()).look())!;
  assert.ok(store.asked <= REQUESTS_MAX, `${store.asked} requests`);
  const newest = bars.at(-1)!;
  const counted = store.events.filter(({ type, time }) => type === "A" && Date.parse(time) >= newest.from);
  assert.deepEqual([newest.count, newest.isEstimated], [counted.length, false]);
  assert.ok(bars.slice(0, -12).every(({ isEstimated }) => isEstimated));
  assert.ok(Math.abs(sumOf(bars) - 25_000) < 500, String(sumOf(bars)));
});

Deno.test("matches that are only in some parts of the store show there", async () => {
  const store = new FakeStore();
  store.add(Array.from({ length: 100_000 }, (_, i) => 1000 * i), (i) => i < 50_000 ? "A" : "B");
  const { bars } = (await new TimelineCount(store.read, ONLY_A, "A", new KnownTimes()).look())!;
  const half = Math.ceil(bars.length / 2);
  assert.ok(Math.abs(sumOf(bars) - 50_000) < 5000, String(sumOf(bars)));
  assert.ok(sumOf(bars.slice(half + 1)) < 1000);
});

Deno.test("only what is in the time of the filter counts, as in the list", async () => {
  const store = storeOf(20_000, 1);
  const [from, before] = [5_000_500, 6_000_500];
  for (const filter of [{ ...NO_FILTER, from, before }, { ...ONLY_A, from, before }, { ...ONLY_A, from }]) {
    const { bars } = (await new TimelineCount(store.read, filter, "A", new KnownTimes()).look())!;
    const end = filter.before ?? Infinity;
    const times = store.events.map(({ time }) => Date.parse(time)).filter((time) =>
      time >= from && time < end
    );
    if (end < Infinity) assert.equal(sumOf(bars), times.length);
    else assert.ok(Math.abs(sumOf(bars) - times.length) < 300, `${sumOf(bars)} of ${times.length}`);
  }
});

Deno.test("without events since the begin of the filter, the axis extends until now", async () => {
  const hour = 3_600_000;
  const from = Date.now() - hour;
  const count = new TimelineCount(storeOf(20, 1).read, { ...NO_FILTER, from }, "A", new KnownTimes());
  const { bars, axis } = (await count.look())!;
  assert.equal(sumOf(bars), 0);
  const shown = axis.bars * axis.width;
  assert.ok(shown >= hour && shown < 1.1 * hour, `${shown / hour} hours`);
});

Deno.test("a filter by time alone, on a large store, sends few requests", async () => {
  const store = storeOf(60_000, 1);
  const known = new KnownTimes();
  const filter = { ...NO_FILTER, from: 20_000_000, before: 50_000_000 };
  const count = new TimelineCount(store.read, filter, "A", known);
  const { bars, canBeBetter } = (await count.look())!;
  assert.equal(sumOf(bars), 30_000);
  assert.equal(canBeBetter, false);
  assert.ok(store.asked <= 2 * REQUESTS_MAX, `${store.asked} requests`);
});

Deno.test("the whole store becomes better with each look, until nothing is estimated", async () => {
  const store = new FakeStore();
  store.add(Array.from({ length: 100_000 }, (_, i) => 10_000_000 * Math.sqrt(i)));
  const count = new TimelineCount(store.read, NO_FILTER, "A", new KnownTimes());
  for (let looks = 0;; looks++) {
    const before = store.asked;
    const { bars, canBeBetter } = (await count.look())!;
    assert.ok(store.asked - before <= REQUESTS_MAX + 3, `${store.asked - before} requests`);
    assert.equal(sumOf(bars), 100_000);
    if (!canBeBetter) break;
    assert.ok(looks < 30);
  }
});

Deno.test("what comes later is added, with one request; far too much is counted anew", async () => {
  const store = storeOf(1000, 2);
  const count = new TimelineCount(store.read, ONLY_A, "A", new KnownTimes());
  await count.look();
  const add = (events: number): void =>
    store.add(Array.from({ length: events }, (_, i) => 1000 * (store.events.length + i)), () => "A");
  add(10);
  const before = store.asked;
  assert.equal(sumOf((await count.look())!.bars), 510);
  assert.equal(store.asked - before, 2);
  add(2 * COUNTED_MAX);
  const { bars } = (await count.look())!;
  assert.ok(Math.abs(sumOf(bars) - 510 - 2 * COUNTED_MAX) < 300, String(sumOf(bars)));
});

Deno.test("a count that failed half way is begun again", async () => {
  const store = storeOf(10_000, 5);
  const wanted = sumOf((await new TimelineCount(store.read, ONLY_A, "A", new KnownTimes()).look())!.bars);
  for (let failing = 1; failing < 7; failing++) {
    let asked = 0;
    const read: typeof store.read = async (request) => {
      if (++asked === failing) throw new Error("not now");
      return await store.read(request);
    };
    const count = new TimelineCount(read, ONLY_A, "A", new KnownTimes());
    await assert.rejects(count.look());
    assert.equal(sumOf((await count.look())!.bars), wanted, `request ${failing}`);
  }
});

Deno.test("an empty store has no timeline", async () => {
  assert.equal(
    await new TimelineCount(new FakeStore().read, NO_FILTER, "B", new KnownTimes()).look(),
    undefined,
  );
});

const ascending = fc.array(fc.nat(1000)).map((times) => times.toSorted((a, b) => a - b));

/** The first sequence at or after a time. */
const firstFrom = (times: readonly number[], time: number): number => {
  const index = times.findIndex((other) => other >= time);
  return index < 0 ? times.length + 1 : index + 1;
};

Deno.test("every event of a span is in one bar, and no bar is off when there are reads enough", async () => {
  const span = fc.record({ from: fc.nat(1000), width: fc.integer({ min: 1, max: 100 }) });
  await fc.assert(fc.asyncProperty(
    ascending,
    span,
    fc.integer({ min: 1, max: 20 }),
    fc.constantFrom(0, 3, Infinity),
    async (times, { from, width }, bars, readsMax) => {
      const search = new TimeSearch(new KnownTimes(), (sequence) => Promise.resolve(times[sequence - 1]!));
      const end = from + bars * width;
      const edges = [firstFrom(times, from), firstFrom(times, end)] as const;
      const counted = await countAll(search, { from, width, bars }, ...edges, readsMax);
      const inSpan = times.filter((time) => time >= from && time < end);
      assert.equal(counted.length, bars);
      assert.equal(sumOf(counted), inSpan.length);
      const most = Math.max(...counted.map(({ count }) => count));
      for (const { from, before, count, isEstimated } of counted) {
        assert.ok(count >= 0);
        const real = inSpan.filter((time) => time >= from && time < before).length;
        if (!isEstimated) assert.ok(Math.abs(count - real) <= most / 6, `${count}, not ${real}`);
        if (readsMax === Infinity) assert.ok(!isEstimated);
      }
    },
  ));
});

Deno.test("times that go back, after the clock was set, end the counting all the same", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(1000)), async (times) => {
    const search = new TimeSearch(new KnownTimes(), (sequence) => Promise.resolve(times[sequence - 1]!));
    const axis = { from: 0, width: 143, bars: 7 };
    const bars = await countAll(search, axis, 1, times.length + 1, 1000);
    for (const { count } of bars) assert.ok(count >= 0);
    assert.equal(sumOf(bars), times.length);
  }));
});

Deno.test("a million events are counted with some hundred single reads, near enough for a drawing", async () => {
  const times = Array.from({ length: 1_000_000 }, (_, i) => i * 10 + (i % 1000 < 500 ? 0 : 3));
  let asked = 0;
  const search = new TimeSearch(new KnownTimes(), (sequence) => {
    asked++;
    return Promise.resolve(times[sequence - 1]!);
  });
  const axis = { from: 0, width: 10_000_000 / 90, bars: 90 };
  const bars = await countAll(search, axis, 1, times.length + 1, Infinity);
  for (const { count } of bars) assert.ok(Math.abs(count - 1_000_000 / 90) < 1900, String(count));
  assert.ok(asked < 400, `${asked} reads`);
});

/** A search in a store whose events have these times, and the number of its reads. */
function searchOf(times: readonly number[]): { search: TimeSearch; asked: () => number } {
  let asked = 0;
  const search = new TimeSearch(new KnownTimes(), (sequence) => {
    asked++;
    return Promise.resolve(times[sequence - 1] ?? Infinity);
  });
  return { search, asked: () => asked };
}

Deno.test("the first event from a time on is found, whatever was looked for before", async () => {
  await fc.assert(
    fc.asyncProperty(ascending, fc.array(fc.nat(1100), { minLength: 1 }), async (times, wanted) => {
      const { search } = searchOf(times);
      for (const time of wanted) {
        const index = times.findIndex((other) => other >= time);
        assert.equal(await search.firstFrom(time, times.length), index < 0 ? times.length + 1 : index + 1);
      }
    }),
  );
});

Deno.test("events that come later are found although the end was known", async () => {
  const times = [10, 20, 30];
  const { search } = searchOf(times);
  assert.equal(await search.firstFrom(35, 3), 4);
  times.push(40, 50);
  assert.equal(await search.firstFrom(35, 5), 4);
  assert.equal(await search.firstFrom(45, 5), 5);
});

Deno.test("times that go back, after the clock was set, end the search all the same", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(1000)), fc.array(fc.nat(1000)), async (times, wanted) => {
    const { search } = searchOf(times);
    for (const time of wanted) {
      const found = await search.firstFrom(time, times.length);
      assert.ok(found >= 1 && found <= times.length + 1);
    }
  }));
});
