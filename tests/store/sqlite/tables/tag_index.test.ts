import assert from "node:assert/strict";
import fc from "fast-check";
import type { NewEvent } from "../../../../src/model/event.ts";
import { matches, type Query, simplifiedItems } from "../../../../src/model/query.ts";
import { termItem } from "../../../../src/store/core/index_terms.ts";
import { findEvents, firstMatch } from "../../../../src/store/sqlite/reading/find_events.ts";
import type { ChunkWork } from "../../../../src/store/core/chunks/chunk_work.ts";
import type { Direction, Range } from "../../../../src/store/core/ranges/direction.ts";
import { indexedSequences, itemExpression } from "../../../../src/store/sqlite/tables/tag_index.ts";
import { rounds } from "../../../support/rounds.ts";
import { event, queryFor } from "../../arbitraries.ts";
import { sequencesOf } from "../../chunks.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { pageOf } from "../page_of.ts";

/** The result of `matches`: the sequences of a range that match. */
function expected(events: readonly NewEvent[], query: Query, { after, upTo }: Range): number[] {
  return events.flatMap((candidate, i) =>
    i + 1 > after && i + 1 <= upTo && matches(query, candidate) ? [i + 1] : []
  );
}

function found(
  store: TestStore,
  query: Query,
  range: Range,
  limit: number,
  direction: Direction = "forwards",
  head = store.head,
): number[] {
  const search = { query, time: undefined, range, direction, head, limit };
  const sequences: number[] = [];
  for (const { rows } of findEvents(store.db, search)) {
    for (const { sequence } of rows) sequences.push(sequence);
    if (sequences.length >= limit) break;
  }
  return sequences.slice(0, limit);
}

/** The sequences of a whole page, with this much work for each chunk. */
function pageIn(
  store: TestStore,
  query: Query,
  { after: afterSequence, upTo: head }: Range,
  backwards: boolean,
  work?: ChunkWork,
): number[] {
  return [...pageOf(store, { query, afterSequence, head, backwards }, work)].flatMap((chunk) => {
    assert.ok(chunk.last >= afterSequence && chunk.last <= Math.max(head, afterSequence));
    return sequencesOf(chunk);
  });
}

const ONE_STEP: ChunkWork = { millisecondsMax: 0, workMin: 0, slowMillisecondsMax: 250 };

/** Compares every kind of query on a range with `matches`. */
function assertAgree(store: TestStore, events: readonly NewEvent[], query: Query, range: Range): void {
  const sequences = expected(events, query, range);
  const descending = sequences.toReversed();
  for (const limit of [1, 7, Infinity]) {
    assert.deepEqual(found(store, query, range, limit), sequences.slice(0, limit));
    assert.deepEqual(found(store, query, range, limit, "backwards"), descending.slice(0, limit));
  }
  assert.deepEqual(found(store, query, range, Infinity, "backwards", 50_000_000), descending);
  for (const work of [undefined, ONE_STEP]) {
    assert.deepEqual(pageIn(store, query, range, false, work), sequences);
    assert.deepEqual(pageIn(store, query, range, true, work), descending, "backwards");
  }
  if (typeof query === "string") return;
  assert.equal(firstMatch(store.db, query, range), sequences[0]);
  const items = simplifiedItems(query).map((item) => itemExpression(termItem(item)));
  const indexed = items.flatMap((item) => indexedSequences(store.db, item, range, 1_000_000));
  const distinct = [...new Set(indexed)].sort((a, b) => a - b);
  assert.deepEqual(distinct, sequences, "the index itself, however short the range");
  const expression = items[0];
  if (expression === undefined) return;
  const first = indexedSequences(store.db, expression, range, 1_000_000);
  for (const rowsMax of [1, 5, 1_000_000]) {
    const last = indexedSequences(store.db, expression, range, rowsMax, "backwards");
    assert.deepEqual(last, first.toReversed().slice(0, rowsMax), "the index itself, backwards");
  }
}

/** Stores of one length, made of the given events again and again. */
function repeated(shapes: readonly NewEvent[], length: number): NewEvent[] {
  if (shapes.length === 0) return [];
  // The stride keeps equal events apart in an irregular way.
  return Array.from({ length }, (_, i) => shapes[(i * 7 + (i >> 4)) % shapes.length]!);
}

/** Few stores of each length. The check `queries` of the audit and long runs of these tests try many more. */
const STORES = { 20: rounds(15, 100), 300: rounds(7, 40), 1500: rounds(3, 20) };

for (const [name, stores] of Object.entries(STORES)) {
  const length = Number(name);
  Deno.test(`on random stores of ${length} events every query finds what matches() says`, () => {
    const storeAndQueries = fc.array(event, { minLength: 1, maxLength: 25 }).chain((shapes) =>
      fc.record({
        shapes: fc.constant(shapes),
        queries: fc.array(queryFor(shapes), { minLength: 6, maxLength: 6 }),
        cut: fc.nat({ max: length }),
      })
    );
    fc.assert(
      fc.property(storeAndQueries, ({ shapes, queries, cut }) => {
        using store = new TestStore();
        const events = repeated(shapes, length);
        store.append(events);
        // Ranges around the lengths at which the search changes from scanning events to asking the index.
        const afters = [0, cut, length - 1, length - 64, length - 65, length].filter((after) => after >= 0);
        for (const query of queries) {
          for (const after of afters) assertAgree(store, events, query, { after, upTo: length });
          assertAgree(store, events, query, { after: 0, upTo: cut });
        }
      }),
      { numRuns: stores },
    );
  });
}

Deno.test("a page of many thousand events comes from the index whole, in order, and without a doublet", () => {
  using store = new TestStore();
  const events = Array.from({ length: 9500 }, (_, i) => newEvent(i % 3 === 0 ? "third" : "other"));
  store.append(events);
  for (const limit of [256, 257, 4096, 4097, Infinity]) {
    const range = { after: 0, upTo: 9500 };
    const query = queryOf(["other"]);
    assert.deepEqual(
      found(store, query, range, limit),
      expected(events, query, range).slice(0, limit),
    );
    assert.deepEqual(
      found(store, query, range, limit, "backwards"),
      expected(events, query, range).toReversed().slice(0, limit),
    );
    assert.deepEqual(found(store, "every", range, limit).length, Math.min(limit, 9500));
  }
});

Deno.test("identifiers, metadata and types of the same text are different terms", () => {
  using store = new TestStore();
  const same = tag("x", "x");
  const events = [
    newEvent("x"),
    { ...newEvent("y"), identifiers: [same] },
    { ...newEvent("y"), metadata: [same] },
    newEvent("y", [tag("", "xx"), tag("xx", "")]),
  ];
  // Enough other events, so that the index is asked.
  store.append([...events, ...Array.from({ length: 200 }, () => newEvent("other"))]);
  const range = { after: 0, upTo: 204 };
  assert.deepEqual(found(store, queryOf(["x"]), range, 9), [1]);
  assert.deepEqual(found(store, queryOf([], [same]), range, 9), [2]);
  assert.deepEqual(found(store, queryOf([], [], [same]), range, 9), [3]);
  assert.deepEqual(found(store, queryOf([], [tag("xx", "")]), range, 9), [4]);
  assert.deepEqual(found(store, queryOf([], [tag("", "xx"), tag("xx", "")]), range, 9), [4]);
});

Deno.test("a query of 100 items with 100 values each is answered, on either side of a long store", () => {
  using store = new TestStore();
  const tags = Array.from({ length: 20 }, (_, i) => tag(`name ${i}`, "v"));
  store.append(Array.from({ length: 1000 }, (_, i) => newEvent("filler", [tag("n", String(i))])));
  store.append([newEvent("wanted", tags), newEvent("type 42 of item 99")]);
  const wide = Array.from({ length: 99 }, (_, item) => ({
    types: Array.from({ length: 60 }, (_, i) => `type ${i} of item ${item}`),
    identifiers: Array.from({ length: 20 }, (_, i) => tag(`name ${i}`, "other")),
    metadata: Array.from({ length: 20 }, (_, i) => tag(`name ${i}`, "v")),
  }));
  const types = Array.from({ length: 100 }, (_, i) => `type ${i} of item 99`);
  const query = [...wide, { types, identifiers: [], metadata: [] }];
  const range = { after: 0, upTo: 1002 };
  assert.deepEqual(found(store, query, range, 10), [1002]);
  assert.equal(firstMatch(store.db, query, range), 1002);
  assert.deepEqual(
    found(store, [...wide, { types: ["wanted"], identifiers: tags, metadata: [] }], range, 10),
    [1001],
  );
  assert.deepEqual(found(store, wide, range, 10), []);
  assert.equal(firstMatch(store.db, wide, range), undefined);
});

Deno.test("an item with more tags than an event can carry finds nothing, with as many it is an AND of them", () => {
  using store = new TestStore();
  const tags = Array.from({ length: 21 }, (_, i) => tag("n", String(i)));
  store.append([newEvent("t", tags.slice(1)), newEvent("t", tags.slice(2))]);
  store.append(Array.from({ length: 100 }, () => newEvent("t")));
  const range = { after: 0, upTo: 102 };
  assert.deepEqual(found(store, queryOf([], tags), range, 10), []);
  assert.deepEqual(found(store, queryOf([], tags.slice(1)), range, 10), [1]);
  const repeated = Array.from({ length: 5 }, () => tags.slice(1)).flat();
  assert.deepEqual(found(store, queryOf([], repeated), range, 10), [1], "repeated tags are one");
});
