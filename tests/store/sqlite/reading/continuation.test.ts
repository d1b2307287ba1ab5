import assert from "node:assert/strict";
import type { Chunk } from "../../../../src/store/api/chunk.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { pageOf } from "../page_of.ts";

const TYPES = 500;
const EVENTS = 20_000;

/** Most of the store matches these items, but there are so many that all candidates are collected first. */
const QUERY = Array.from(
  { length: 50 },
  (_, item) => queryOf(Array.from({ length: 8 }, (_, i) => `type ${item * 8 + i}`)),
).flat();

function filled(): TestStore {
  const store = new TestStore();
  store.append(Array.from({ length: EVENTS }, (_, i) => newEvent(`type ${i % TYPES}`)));
  return store;
}

function candidatesOf({ continuation }: Chunk): readonly number[] {
  const { window } = (continuation ?? { window: { candidates: [] } }) as {
    window: { candidates: readonly number[] | "every" };
  };
  return window.candidates === "every" ? [] : window.candidates;
}

Deno.test("the continuation between the chunks of a page is small, and holds nothing that was read", () => {
  using store = filled();
  const everyStep = { millisecondsMax: 0, workMin: 0, slowMillisecondsMax: 0 };
  for (const work of [undefined, everyStep]) {
    for (const backwards of [false, true]) {
      let events = 0;
      let keptMax = 0;
      for (const chunk of pageOf(store, { query: QUERY, backwards }, work)) {
        events += chunk.events;
        const candidates = candidatesOf(chunk);
        keptMax = Math.max(keptMax, candidates.length);
        const { last } = chunk;
        assert.ok(candidates.every((sequence) => backwards ? sequence <= last : sequence > last));
      }
      assert.equal(events, EVENTS * 400 / TYPES);
      assert.ok(keptMax <= 4096, `${keptMax} candidates`);
      if (work !== undefined) assert.ok(keptMax > 1000, "so many candidates that the limit matters");
    }
  }
});

Deno.test("a chunk whose steps take far longer than estimated ends nevertheless, and still makes progress", () => {
  using store = filled();
  const untilDone = { millisecondsMax: 0, workMin: Infinity, slowMillisecondsMax: Infinity };
  assert.equal(
    [...pageOf(store, { limit: 0, query: queryOf(["absent"], [tag("n", "v")]) }, untilDone)].length,
    1,
  );
  const slow = { ...untilDone, slowMillisecondsMax: 0 };
  const absent = Array.from({ length: 20 }, (_, i) => queryOf([`absent ${i}`])).flat();
  for (const backwards of [false, true]) {
    const chunks = [...pageOf(store, { query: absent, backwards }, slow)];
    assert.ok(chunks.length > 1 && chunks.length <= 25, `${chunks.length} chunks`);
    assert.deepEqual(chunks.at(-1)!.end, { hasMore: false });
  }
});
