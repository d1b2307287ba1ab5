import assert from "node:assert/strict";
import type { NewEvent } from "../../../../src/model/event.ts";
import type { QueryItem } from "../../../../src/model/query.ts";
import { CandidateCollection } from "../../../../src/store/sqlite/reading/collect_candidates.ts";
import type { Window } from "../../../../src/store/sqlite/reading/step.ts";
import type { Direction, Range } from "../../../../src/store/core/ranges/direction.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

const EVENTS = 12_000;

/**
 * Items of lists that are all long. They are so many that FTS5 may not walk them from one end of the store to the
 * other.
 */
const ITEMS = Array.from({ length: 10 }, (_, i) => queryOf([], [tag("n", `${i}`), tag("all", "v")])).flat();

/** A third of its events match every item. 100 events have the tag `rare`, ten of those the tag `rarest`. */
function filled(): TestStore {
  const store = new TestStore();
  const tags = Array.from({ length: 10 }, (_, i) => tag("n", `${i}`));
  const event = (i: number): NewEvent =>
    newEvent("t", [
      ...(i % 3 === 0 ? tags : []),
      tag("all", "v"),
      ...(i % 120 === 0 ? [tag("rare", "v")] : []),
      ...(i % 1200 === 0 ? [tag("rarest", "v")] : []),
    ]);
  store.append(Array.from({ length: EVENTS }, (_, i) => event(i + 1)));
  return store;
}

/** Collects the candidates of a range for the first of some items. */
function gather(
  store: TestStore,
  range: Range,
  direction: Direction,
  items: readonly QueryItem[] = ITEMS,
  head = EVENTS,
): { window: Window; asked: string[] } {
  const asked: string[] = [];
  const all = store.db.all.bind(store.db);
  store.db.all = (sql, ...values) => (asked.push(String(values[0])), all(sql, ...values));
  const begun: Window = { ...range, itemsDone: 0, candidates: [], unchecked: "nothing" };
  const options = { direction, head, eventsMax: 100 };
  const gathering = new CandidateCollection(store.db, items, begun, options);
  gathering.step();
  store.db.all = all;
  return { window: gathering.window, asked };
}

function isIntersected({ asked }: { readonly asked: readonly string[] }): boolean {
  return asked.some((expression) => expression.includes(" AND "));
}

Deno.test("FTS5 intersects lists only where they can be walked from its starting end", () => {
  using store = filled();
  const [early, late] = [{ after: 0, upTo: 2000 }, { after: 10_000, upTo: EVENTS }];
  assert.ok(isIntersected(gather(store, early, "forwards")));
  assert.ok(!isIntersected(gather(store, late, "forwards")));
  assert.ok(isIntersected(gather(store, late, "backwards")));
  assert.ok(!isIntersected(gather(store, early, "backwards")));
});

Deno.test("the events of a short list are taken without intersecting it with a long one", () => {
  using store = filled();
  const items = queryOf(["t"], [tag("rarest", "v")]);
  const gathered = gather(store, { after: 0, upTo: EVENTS }, "forwards", items);
  assert.ok(!isIntersected(gathered));
  assert.equal(gathered.window.candidates.length, 10);
  assert.deepEqual(gathered.window.unchecked, { ...items[0], identifiers: [] });
});

Deno.test("long lists are intersected only when that is cheaper than to read the events of the sparsest", () => {
  using store = filled();
  const range = { after: 0, upTo: EVENTS };
  const cheaperToRead = gather(store, range, "forwards", queryOf(["t"], [tag("rare", "v")]));
  assert.ok(!isIntersected(cheaperToRead));
  assert.equal(cheaperToRead.window.candidates.length, 100);
  assert.ok(isIntersected(gather(store, range, "forwards", queryOf(["t"], [tag("n", "1"), tag("n", "2")]))));
});

Deno.test("a window with too many candidates ends at the last of them, in either direction", () => {
  using store = filled();
  const forwards = gather(store, { after: 600, upTo: 2000 }, "forwards").window;
  assert.deepEqual([forwards.after, forwards.upTo, forwards.candidates.length], [600, 900, 100]);
  const backwards = gather(store, { after: 10_000, upTo: 11_000 }, "backwards").window;
  assert.deepEqual([backwards.after, backwards.upTo, backwards.candidates.length], [10_700, 11_000, 100]);
});

Deno.test("backwards and far from the end of the store, only a few of many lists are tried as the short one", () => {
  using store = filled();
  const items = queryOf([], Array.from({ length: 10 }, (_, i) => tag("n", `${i}`)));
  const range = { after: 0, upTo: 2000 };
  const lists = (head: number): number => gather(store, range, "backwards", items, head).asked.length - 1;
  assert.equal(lists(500_000), 10);
  assert.equal(lists(5_000_000), 2);
  assert.equal(lists(100_000_000), 1);
});
