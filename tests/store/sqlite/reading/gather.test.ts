import assert from "node:assert/strict";
import type { NewEvent } from "../../../../src/model/event.ts";
import { Gathering } from "../../../../src/store/sqlite/reading/gather.ts";
import type { Window } from "../../../../src/store/sqlite/reading/step.ts";
import type { Direction } from "../../../../src/store/sqlite/tables/direction.ts";
import type { Range } from "../../../../src/store/sqlite/tables/range.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

const EVENTS = 12_000;

/** Items of lists that are all long; so many that FTS5 may not walk them from one end of the store to the other. */
const ITEMS = Array.from({ length: 10 }, (_, i) => queryOf([], [tag("n", `${i}`), tag("all", "v")])).flat();

/** A third of its events match every item. */
function filled(): TestStore {
  const store = new TestStore();
  const tags = Array.from({ length: 10 }, (_, i) => tag("n", `${i}`));
  const event = (i: number): NewEvent => newEvent("t", [...(i % 3 === 0 ? tags : []), tag("all", "v")]);
  store.append(Array.from({ length: EVENTS }, (_, i) => event(i + 1)));
  return store;
}

/** Gathers the candidates of a range for the first of the items. */
function gather(
  store: TestStore,
  range: Range,
  direction: Direction,
): { window: Window; isIntersected: boolean } {
  const expressions: unknown[] = [];
  const all = store.db.all.bind(store.db);
  store.db.all = (sql, ...values) => (expressions.push(values[0]), all(sql, ...values));
  const begun: Window = { ...range, itemsDone: 0, candidates: [], unchecked: "nothing" };
  const options = { direction, head: EVENTS, eventsMax: 100 };
  const gathering = new Gathering(store.db, ITEMS, begun, options);
  gathering.step();
  store.db.all = all;
  const isIntersected = expressions.some((expression) => String(expression).includes(" AND "));
  return { window: gathering.window, isIntersected };
}

Deno.test("FTS5 intersects lists only where they can be walked from the end at which it begins", () => {
  using store = filled();
  const [early, late] = [{ after: 0, upTo: 2000 }, { after: 10_000, upTo: EVENTS }];
  assert.ok(gather(store, early, "forwards").isIntersected);
  assert.ok(!gather(store, late, "forwards").isIntersected);
  assert.ok(gather(store, late, "backwards").isIntersected);
  assert.ok(!gather(store, early, "backwards").isIntersected);
});

Deno.test("a window of more candidates than are wanted ends at the last of them, in either direction", () => {
  using store = filled();
  const forwards = gather(store, { after: 600, upTo: 2000 }, "forwards").window;
  assert.deepEqual([forwards.after, forwards.upTo, forwards.candidates.length], [600, 900, 100]);
  const backwards = gather(store, { after: 10_000, upTo: 11_000 }, "backwards").window;
  assert.deepEqual([backwards.after, backwards.upTo, backwards.candidates.length], [10_700, 11_000, 100]);
});
