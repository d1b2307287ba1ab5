import assert from "node:assert/strict";
import fc from "fast-check";
import { NO_FILTER } from "../../../../explorer/page/filter/filter.ts";
import type { Bar } from "../../../../explorer/page/timeline/axis.ts";
import { COUNTED_MAX } from "../../../../explorer/page/timeline/match_count.ts";
import { TimelineCount } from "../../../../explorer/page/timeline/timeline_count.ts";
import { FakeStore } from "./fake_store.ts";

/** Opening a filter sends no more requests. */
const REQUESTS_MAX = 24;

/** There are at most 90 bars, however large the store is. */
const LOOKUPS_MAX = 89;

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
  const { bars, axis } = (await new TimelineCount(store.read, ONLY_A, "A", store.positions).look())!;
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
  const { bars } = (await new TimelineCount(store.read, ONLY_A, "A", store.positions).look())!;
  assert.ok(store.asked <= REQUESTS_MAX, `${store.asked} requests`);
  assert.ok(store.lookups <= LOOKUPS_MAX, `${store.lookups} lookups`);
  const newest = bars.at(-1)!;
  const counted = store.events.filter(({ type, time }) => type === "A" && Date.parse(time) >= newest.from);
  assert.deepEqual([newest.count, newest.isEstimated], [counted.length, false]);
  assert.ok(bars.slice(0, -12).every(({ isEstimated }) => isEstimated));
  assert.ok(Math.abs(sumOf(bars) - 25_000) < 500, String(sumOf(bars)));
});

Deno.test("matches that are only in some parts of the store show there", async () => {
  const store = new FakeStore();
  store.add(Array.from({ length: 100_000 }, (_, i) => 1000 * i), (i) => i < 50_000 ? "A" : "B");
  const { bars } = (await new TimelineCount(store.read, ONLY_A, "A", store.positions).look())!;
  const half = Math.ceil(bars.length / 2);
  assert.ok(Math.abs(sumOf(bars) - 50_000) < 5000, String(sumOf(bars)));
  assert.ok(sumOf(bars.slice(half + 1)) < 1000);
});

Deno.test("only what is in the time of the filter counts, as in the list", async () => {
  const store = storeOf(20_000, 1);
  const [from, before] = [5_000_500, 6_000_500];
  for (const filter of [{ ...NO_FILTER, from, before }, { ...ONLY_A, from, before }, { ...ONLY_A, from }]) {
    const { bars } = (await new TimelineCount(store.read, filter, "A", store.positions).look())!;
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
  const store = storeOf(20, 1);
  const count = new TimelineCount(store.read, { ...NO_FILTER, from }, "A", store.positions);
  const { bars, axis } = (await count.look())!;
  assert.equal(sumOf(bars), 0);
  const shown = axis.bars * axis.width;
  assert.ok(shown >= hour && shown < 1.1 * hour, `${shown / hour} hours`);
});

Deno.test("without types and tags every bar is exact, and a second look asks for little", async () => {
  const store = storeOf(60_000, 1);
  for (const filter of [NO_FILTER, { ...NO_FILTER, from: 20_000_000, before: 50_000_000 }]) {
    [store.asked, store.lookups] = [0, 0];
    const count = new TimelineCount(store.read, filter, "A", store.positions);
    const { bars, axis } = (await count.look())!;
    assert.ok(store.asked <= 2 && store.lookups <= LOOKUPS_MAX + 2, `${store.asked}, ${store.lookups}`);
    const { from = 0, before = Infinity } = filter;
    const times = store.events.map(({ time }) => Date.parse(time)).filter((time) =>
      time >= from && time < before
    );
    assert.equal(sumOf(bars), times.length);
    for (const bar of bars) {
      assert.equal(
        bar.count,
        times.filter((time) => time >= bar.from && time < bar.from + axis.width).length,
      );
      assert.equal(bar.isEstimated, false);
    }
    [store.asked, store.lookups] = [0, 0];
    assert.deepEqual((await count.look())!.bars, bars, "the same bars");
    assert.ok(store.asked === 1 && store.lookups <= 1, `${store.asked}, ${store.lookups}`);
  }
});

Deno.test("what comes later is added, with one request; far too much is counted anew", async () => {
  const store = storeOf(1000, 2);
  const count = new TimelineCount(store.read, ONLY_A, "A", store.positions);
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
  const wanted = sumOf((await new TimelineCount(store.read, ONLY_A, "A", store.positions).look())!.bars);
  for (let failing = 1; failing < 7; failing++) {
    let asked = 0;
    const read: typeof store.read = async (request) => {
      if (++asked === failing) throw new Error("not now");
      return await store.read(request);
    };
    const count = new TimelineCount(read, ONLY_A, "A", store.positions);
    await assert.rejects(count.look());
    assert.equal(sumOf((await count.look())!.bars), wanted, `request ${failing}`);
  }
});

Deno.test("an empty store has no timeline", async () => {
  const store = new FakeStore();
  assert.equal(await new TimelineCount(store.read, NO_FILTER, "B", store.positions).look(), undefined);
});

Deno.test("every event is in one bar, also after the clock was set back", async () => {
  await fc.assert(fc.asyncProperty(fc.array(fc.nat(1000), { minLength: 1 }), async (times) => {
    const store = new FakeStore();
    store.add(times);
    const { bars } = (await new TimelineCount(store.read, NO_FILTER, "A", store.positions).look())!;
    for (const { count } of bars) assert.ok(count >= 0);
    assert.equal(sumOf(bars), times.length);
  }));
});

Deno.test("of a token that sees only some events, those are counted and not their sequences", async () => {
  const store = storeOf(3000, 10);
  const read: typeof store.read = (request) => {
    const query = request.query === "*" ? [{ types: ["A"] }] : request.query;
    return store.read({ ...request, query } as typeof request);
  };
  const count = new TimelineCount(read, NO_FILTER, "A", store.positions, false);
  assert.equal(sumOf((await count.look())!.bars), 300);
});
