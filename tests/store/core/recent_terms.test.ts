import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../../src/model/event.ts";
import { matches } from "../../../src/model/query.ts";
import { RecentTerms } from "../../../src/store/core/recent_terms.ts";
import { eventTerms, termItem } from "../../../src/store/core/index_terms.ts";
import { event, queryItem } from "../arbitraries.ts";
import { newEvent, tag } from "../made_writes.ts";

/** The number of terms in a generation; more than that start the next one. */
const GENERATION_TERMS = 50_000;

const item = (type: string): ReturnType<typeof termItem> =>
  termItem({ types: [type], identifiers: [], metadata: [] });

/** An event's document of this many terms that occur nowhere else. */
function terms(sequence: number, count: number): string {
  return Array.from({ length: count }, (_, i) => `${sequence}x${i}`).join(" ");
}

Deno.test("an item that a later event matches is never ruled out, and one without its term always is", () => {
  const stores = fc.record({
    before: fc.nat({ max: 10 }),
    events: fc.array(event, { maxLength: 30 }),
    items: fc.array(queryItem, { minLength: 1, maxLength: 10 }),
    after: fc.nat({ max: 40 }),
  });
  fc.assert(fc.property(stores, ({ before, events, items, after }) => {
    const recent = new RecentTerms(before);
    for (const [i, event] of events.entries()) recent.remember(before + i + 1, eventTerms(event));
    for (const item of items) {
      const later = events.filter((_, i) => before + i + 1 > after);
      const mayMatch = recent.mayMatchAfter(after, termItem(item));
      if (later.some((event) => matches([item], event))) assert.equal(mayMatch, true);
      if (after >= before && later.length === 0) assert.equal(mayMatch, false);
    }
  }));
});

Deno.test("each entry of an item must have appeared since, of its types any one", () => {
  const recent = new RecentTerms(0);
  const carrying = (type: string, ...values: string[]): NewEvent =>
    newEvent(type, values.map((value) => tag("n", value)));
  recent.remember(1, eventTerms(carrying("first", "1", "2")));
  recent.remember(2, eventTerms(carrying("second", "2")));
  const mayMatch = (after: number, types: string[], values: string[]): boolean =>
    recent.mayMatchAfter(
      after,
      termItem({ types, identifiers: values.map((value) => tag("n", value)), metadata: [] }),
    );
  assert.equal(mayMatch(0, ["first", "absent"], ["1", "2"]), true);
  assert.equal(mayMatch(1, ["first", "absent"], []), false);
  assert.equal(mayMatch(1, ["first", "second"], []), true);
  assert.equal(mayMatch(1, [], ["2"]), true);
  assert.equal(mayMatch(1, [], ["1", "2"]), false);
  assert.equal(mayMatch(2, [], ["2"]), false);
});

Deno.test("any item may match events before the memory", () => {
  const recent = new RecentTerms(10);
  assert.equal(recent.mayMatchAfter(9, item("t")), true);
  assert.equal(recent.mayMatchAfter(10, item("t")), false);
});

Deno.test("after a clear only later events are remembered", () => {
  const recent = new RecentTerms(0);
  recent.remember(1, eventTerms(newEvent("t")));
  recent.clear(5);
  assert.equal(recent.mayMatchAfter(4, item("other")), true);
  assert.equal(recent.mayMatchAfter(5, item("t")), false);
  recent.remember(6, eventTerms(newEvent("t")));
  assert.equal(recent.mayMatchAfter(5, item("t")), true);
  recent.clear(0);
  assert.equal(recent.mayMatchAfter(0, item("t")), false);
});

Deno.test("the memory has two generations: it reaches back at least one of them and at most two", () => {
  const recent = new RecentTerms(0);
  const absent = item("absent");
  let reachesTo = 0;
  let highestReach = 0;
  for (let sequence = 1; sequence <= 20_000; sequence++) {
    recent.remember(sequence, terms(sequence, 10));
    // The oldest position after which all events are remembered only moves forward.
    while (recent.mayMatchAfter(reachesTo, absent)) reachesTo++;
    const reach = (sequence - reachesTo) * 10;
    highestReach = Math.max(highestReach, reach);
    assert.ok(reach <= 2 * GENERATION_TERMS + 20, `${reach} terms are remembered`);
    if (sequence * 10 > GENERATION_TERMS) assert.ok(reach >= GENERATION_TERMS - 20, `only ${reach} terms`);
  }
  assert.ok(highestReach >= 2 * GENERATION_TERMS - 20);
});

Deno.test("a term of the older generation still counts, with its latest sequence", () => {
  const recent = new RecentTerms(0);
  const old = { anyOf: [], allOf: ["old"] };
  recent.remember(1, "old");
  for (let sequence = 2; sequence <= 6; sequence++) recent.remember(sequence, terms(sequence, 10_000));
  recent.remember(7, "seventh");
  assert.equal(recent.mayMatchAfter(0, old), true, "remembered in the older generation");
  assert.equal(recent.mayMatchAfter(1, old), false);
  recent.remember(8, "old");
  assert.equal(recent.mayMatchAfter(7, old), true, "the newer generation wins");
  assert.equal(recent.mayMatchAfter(8, old), false);
});
