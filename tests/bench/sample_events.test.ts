import assert from "node:assert/strict";
import { SampleEvents } from "../../bench/sample_events.ts";

Deno.test("sample events of one seed are the same, and their terms recur as often as the benchmark says", () => {
  const storeEvents = 20_000;
  const events = new SampleEvents(storeEvents, 7).events(storeEvents);
  assert.deepEqual(new SampleEvents(storeEvents, 7).events(storeEvents), events);

  const distinct = (name: string): number =>
    new Set(events.map(({ identifiers }) => identifiers.find((tag) => tag.name === name)!.value)).size;
  assert.equal(new Set(events.map(({ type }) => type)).size, 5);
  assert.equal(distinct("customer"), 50);
  assert.equal(distinct("article"), 2000);
  // Two events per order on average means that a share of exp(-2) of the orders has none.
  assert.ok(distinct("order") > 8400 && distinct("order") < 8900, `${distinct("order")} orders`);
  assert.equal(new Set(events.map(({ metadata }) => metadata[0]!.value)).size, storeEvents);
});
