import assert from "node:assert/strict";
import type { NewEvent } from "../../../../src/model/event.ts";
import { matches, type Query, type QueryItem } from "../../../../src/model/query.ts";
import type { ReadRequest } from "../../../../src/model/read_request.ts";
import type { Tag } from "../../../../src/model/tag.ts";
import { isInTimeRange } from "../../../../src/model/time_range.ts";
import { findEvents, firstMatch } from "../../../../src/store/sqlite/reading/find_events.ts";
import type { ChunkWork } from "../../../../src/store/core/chunks/chunk_work.ts";
import type { Window } from "../../../../src/store/sqlite/reading/step.ts";
import { type Direction, type Range, restOf } from "../../../../src/store/core/ranges/direction.ts";
import { readChunk } from "../../../../src/store/sqlite/reading/read_chunk.ts";
import { rounds } from "../../../support/rounds.ts";
import { seededRandom } from "../../../support/test_seed.ts";
import { sequencesOf } from "../../chunks.ts";
import { newEvent, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { pageOf } from "../page_of.ts";

const EVENTS = 12_000;

/** First a chunk for each step, then many steps in each. */
const WORKS: readonly ChunkWork[] = [
  { millisecondsMax: 0, workMin: 0, slowMillisecondsMax: 250 },
  { millisecondsMax: 0, workMin: 2000, slowMillisecondsMax: 250 },
];

/** In normal runs, each query meets each kind of work in both directions, from one of two places each. */
const WORKS_EACH = rounds(1, WORKS.length);

/** The sequences of a page. Ends with Infinity if more events match. */
function page(store: TestStore, read: ReadRequest, work: ChunkWork): number[] {
  const sequences: number[] = [];
  let reached = read.backwards ? EVENTS : read.afterSequence;
  for (const chunk of pageOf(store, { ...read, head: EVENTS }, work)) {
    sequences.push(...sequencesOf(chunk));
    const { last, end, continuation } = chunk;
    if (end !== false) return end.hasMore ? [...sequences, Infinity] : sequences;
    const isOn = read.backwards ? last < reached : last > reached;
    assert.ok((isOn || continuation !== undefined) && last >= 0 && last <= EVENTS, "each chunk gets on");
    reached = last;
  }
  return assert.fail("the page has no end");
}

/** Both orders of a page, with its expected content. */
function bothWays(
  sequences: readonly number[],
): readonly { readonly backwards: boolean; readonly expected: number[] }[] {
  return [
    { backwards: false, expected: [...sequences] },
    { backwards: true, expected: sequences.toReversed() },
  ];
}

Deno.test("large queries over lists of every length agree with matches(), in chunks of any size", () => {
  using store = new TestStore();
  const random = seededRandom(42);
  // Lists of all events, of half of them, of a few, and of one; in the second half some end and others begin.
  const events: NewEvent[] = Array.from({ length: EVENTS }, (_, i) => ({
    ...newEvent(i % 2 === 0 ? "even" : `type ${random(300)}`, [
      tag("all", "v"),
      tag("half", String(i % 2)),
      tag("few", String(random(400))),
      tag("one", String(i)),
      tag("side", i < EVENTS / 2 ? "early" : "late"),
    ]),
    metadata: [tag("third", String(i % 3))],
  }));
  // A clock that goes back again and again, so that many parts of the store have times of one range.
  const times = events.map((_, i) => 1_700_000_000_000_000 + (i % 1500) * 1_000_000);
  store.append(events, times);
  const tags = (): QueryItem["identifiers"] =>
    [
      tag("all", "v"),
      tag("half", String(random(2))),
      tag("few", String(random(500))),
      tag("one", String(random(2 * EVENTS))),
      tag("side", ["early", "late"][random(2)]!),
    ].filter(() => random(3) === 0);
  const item = (): QueryItem => ({
    types: Array.from(
      { length: random(3) * random(8) },
      () => random(40) === 0 ? "even" : `type ${random(600)}`,
    ),
    identifiers: tags(),
    metadata: random(4) === 0 ? [tag("third", String(random(4)))] : [],
  });
  let [found, missed] = [0, 0];
  for (let round = 0; round < 16; round++) {
    const items = Array.from({ length: 1 + random(round % 2 === 0 ? 3 : 99) }, item).filter(
      ({ types, identifiers, metadata }) => types.length + identifiers.length + metadata.length > 0,
    );
    const query = items.length === 0 ? [{ types: ["even"], identifiers: [], metadata: [] }] : items;
    const after = [0, random(EVENTS), EVENTS - 500][round % 3]!;
    const before = [EVENTS + 1, EVENTS - 200, after + 5000, EVENTS][round % 4]!;
    const fromMicros = times[random(1500)]!;
    const time = round % 4 === 3 ? { fromMicros, beforeMicros: fromMicros + 300_000_000 } : undefined;
    const expected = events.flatMap((event, i) => {
      const isInRange = i >= after && i + 1 < before &&
        (time === undefined || isInTimeRange(time, times[i]!));
      return isInRange && matches(query, event) ? [i + 1] : [];
    });
    if (expected.length === 0) missed++;
    else found++;
    for (const { backwards, expected: inOrder } of bothWays(expected)) {
      for (const limit of [3, Infinity]) {
        const wanted = inOrder.length > limit ? [...inOrder.slice(0, limit), Infinity] : inOrder;
        const work = WORKS[random(2)]!;
        const read = { query, time, afterSequence: after, beforeSequence: before, backwards, limit };
        assert.deepEqual(page(store, read, work), wanted, JSON.stringify(read));
      }
    }
    if (time !== undefined) continue;
    assert.equal(firstMatch(store.db, query, { after, upTo: before - 1 }), expected[0]);
  }
  assert.ok(found > 8 && missed > 0, `${found} found something, ${missed} nothing`);
});

Deno.test("long lists are searched in windows, one list or many, intersected or not", () => {
  using store = new TestStore();
  const events = Array.from({ length: EVENTS }, (_, i) =>
    newEvent(`type ${i % 40}`, [
      tag("all", "v"),
      tag("third", String(i % 3)),
      tag("fifth", String(i % 5)),
      tag("end", i < EVENTS - 100 ? "no" : "yes"),
    ]));
  store.append(events);
  const item = (types: readonly string[], ...identifiers: readonly Tag[]): QueryItem => ({
    types,
    identifiers,
    metadata: [],
  });
  const types = Array.from({ length: 40 }, (_, i) => `type ${i}`);
  const queries: readonly QueryItem[][] = [
    [item([], tag("all", "v"))],
    [item(["type 7"], tag("all", "v"))],
    [item([], tag("third", "0")), item([], tag("fifth", "0"))],
    // So many that the lists found in one chunk are passed on to the next.
    types.map((type) => item([type], tag("fifth", "0"))),
    types.map((type, i) => item([type], tag("third", String(i % 3)), tag("fifth", "1"))),
    types.map((type) => item([`${type} absent`], tag("all", "v"))),
    [
      ...types.map((type) => item([`${type} absent`])),
      item([], tag("third", "1")),
      item([], tag("fifth", "1")),
    ],
    [...types.map((type) => item([type, "absent"], tag("end", "yes"), tag("all", "v")))],
  ];
  for (const query of queries) {
    for (const [i, afterSequence] of [0, 7000].entries()) {
      const expected = events.flatMap((event, i) =>
        i >= afterSequence && matches(query, event) ? [i + 1] : []
      );
      const range = { after: afterSequence, upTo: EVENTS };
      for (const [j, { backwards, expected: inOrder }] of bothWays(expected).entries()) {
        for (let k = 0; k < WORKS_EACH; k++) {
          const work = WORKS[(i + j + k) % WORKS.length]!;
          const read = { query, afterSequence, backwards, limit: Infinity };
          assert.deepEqual(page(store, read, work), inOrder, JSON.stringify(query[0]));
        }
        // Without chunks, the search comes to the end of every window.
        const direction = backwards ? "backwards" : "forwards";
        const whole = findEvents(store.db, { query, range, direction, head: EVENTS, limit: Infinity });
        const found = [...whole].flatMap(({ rows }) => rows).map(({ sequence }) => sequence);
        assert.deepEqual(found, inOrder, JSON.stringify(query[0]));
      }
      assert.equal(firstMatch(store.db, query, range), expected[0]);
    }
  }
});

/** The result of a search that stops after each step and continues from its continuation. */
function foundInSteps(
  store: TestStore,
  query: Query,
  range: Range,
  direction: Direction,
  head: number,
): number[] {
  const sequences: number[] = [];
  let [rest, window] = [range, undefined as Window | undefined];
  while (rest.after < rest.upTo) {
    const search = { query, range: rest, direction, head, limit: Infinity, window };
    const { value: step } = findEvents(store.db, search).next();
    if (step === undefined) break;
    for (const { sequence } of step.rows) sequences.push(sequence);
    window = structuredClone(step.window);
    rest = restOf(range, step.reached, direction);
  }
  return sequences;
}

Deno.test("far from the end of a large store, where the index takes longer backwards, the result is the same", () => {
  using store = new TestStore();
  const random = seededRandom(7);
  const lists = [1, 2, 3, 40, 3000];
  const events = Array.from(
    { length: EVENTS },
    (_, i) => newEvent(`type ${i % 7}`, lists.map((each) => tag("list", `${each} ${random(each)}`))),
  );
  store.append(events);
  const head = 30_000_000;
  for (let round = 0; round < 12; round++) {
    const query = Array.from({ length: 1 + random(3) }, () => ({
      types: random(2) === 0 ? [] : [`type ${random(8)}`],
      identifiers: lists.filter(() => random(3) === 0).map((each) => tag("list", `${each} ${random(each)}`)),
      metadata: [],
    })).filter(({ types, identifiers }) => types.length + identifiers.length > 0);
    const after = random(2) * random(EVENTS);
    const range = { after, upTo: after + random(EVENTS - after) };
    const expected = events.flatMap((event, i) =>
      i >= range.after && i < range.upTo && matches(query, event) ? [i + 1] : []
    );
    for (const { backwards, expected: inOrder } of bothWays(expected)) {
      const direction = backwards ? "backwards" : "forwards";
      assert.deepEqual(foundInSteps(store, query, range, direction, head), inOrder, JSON.stringify(query));
    }
  }
});

Deno.test("a continuation is of no use to another store", () => {
  using store = new TestStore();
  store.append(Array.from({ length: 3000 }, (_, i) => newEvent(`type ${i}`)));
  const types = Array.from({ length: 20 }, (_, i) => [`type ${i * 100}`]);
  const query = types.map((types) => ({ types, identifiers: [], metadata: [] }));
  const request = { query, afterSequence: 0, head: 3000, limit: Infinity };
  const { continuation } = readChunk(store.db, request, false, WORKS[0]);
  assert.ok(continuation !== undefined);
  using other = new TestStore();
  other.append([newEvent("other"), newEvent("type 0")]);
  assert.deepEqual(sequencesOf(readChunk(other.db, { ...request, continuation }, false)), [2]);
});
