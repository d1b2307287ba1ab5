import assert from "node:assert/strict";
import type { Query } from "../../../src/model/query.ts";
import type { Chunk, ChunkRequest } from "../../../src/store/api/chunk.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { EVERYTHING, sequencesOf, sequencesOfAll } from "../chunks.ts";
import { changing, newEvent, ofTypes, prepared, queryOf, storeWrite, tag } from "../made_writes.ts";
import { written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";

/** Chunks of events, and projections. */
export function contractOfReads(test: StoreTest): void {
  chunks(test);
  pages(test);
  times(test);
  tallies(test);
  projections(test);
  many(test);
}

function read(store: Store, request: Partial<ChunkRequest>): Promise<Chunk> {
  return store.reads.chunk({ ...EVERYTHING, ...request });
}

/** A store of six events, one second after the other. */
async function fill(store: Store): Promise<void> {
  const types = ["a", "b", "a", "b", "a", "b"];
  const events = types.map((type, i) => prepared(newEvent(type, [tag("n", String(i + 1))]), i * 1_000_000));
  written((await store.writer.group([{ ...storeWrite([]), events }]))[0]);
}

/** The expected end of a complete page of such a store. */
function endOf(
  { afterSequence = 0, beforeSequence = Infinity, backwards, head = 6 }: Partial<ChunkRequest>,
): number {
  return backwards ? afterSequence : Math.max(afterSequence, Math.min(head, beforeSequence - 1));
}

function chunks(test: StoreTest): void {
  const from = (seconds: number, before: number): Partial<ChunkRequest> => ({
    time: { fromMicros: seconds * 1_000_000, beforeMicros: before * 1_000_000 },
  });
  const cases: readonly [request: Partial<ChunkRequest>, sequences: number[], hasMore: boolean][] = [
    [{}, [1, 2, 3, 4, 5, 6], false],
    [{ query: "none" }, [], false],
    [{ query: queryOf(["a"]) }, [1, 3, 5], false],
    [{ query: queryOf(["a"], [tag("n", "3")]) }, [3], false],
    [{ query: [...queryOf(["b"], [tag("n", "2")]), ...queryOf([], [tag("n", "5")])] }, [2, 5], false],
    [{ afterSequence: 4 }, [5, 6], false],
    [{ afterSequence: 9 }, [], false],
    [{ limit: 5 }, [1, 2, 3, 4, 5], true],
    [{ limit: 6 }, [1, 2, 3, 4, 5, 6], false],
    [{ query: queryOf(["a"]), limit: 2 }, [1, 3], true],
    [{ query: queryOf(["a"]), limit: 3 }, [1, 3, 5], false],
    [{ head: 4 }, [1, 2, 3, 4], false],
    [{ head: 4, limit: 4 }, [1, 2, 3, 4], false],
    [{ head: 4, limit: 3, query: queryOf(["b"]) }, [2, 4], false],
    [from(1, 4), [2, 3, 4], false],
    [from(7, 9), [], false],
    [{ ...from(1, 5), query: queryOf(["b"]), limit: 1 }, [2], true],
    [{ ...from(1, 5), query: queryOf(["b"]), limit: 2 }, [2, 4], false],
    [{ ...from(0, 9), afterSequence: 2, head: 5 }, [3, 4, 5], false],
    [{ beforeSequence: 4 }, [1, 2, 3], false],
    [{ beforeSequence: 4, limit: 2 }, [1, 2], true],
    [{ beforeSequence: 4, limit: 3 }, [1, 2, 3], false],
    [{ beforeSequence: 4, head: 2 }, [1, 2], false],
    [{ beforeSequence: 5, query: queryOf(["a"]), limit: 2 }, [1, 3], false],
    [{ beforeSequence: 5, afterSequence: 3 }, [4], false],
    [{ beforeSequence: 5, afterSequence: 4 }, [], false],
    [{ beforeSequence: 2, afterSequence: 4 }, [], false],
    [{ beforeSequence: 1 }, [], false],
    [{ beforeSequence: Number.MAX_SAFE_INTEGER }, [1, 2, 3, 4, 5, 6], false],
    [{ backwards: true }, [6, 5, 4, 3, 2, 1], false],
    [{ backwards: true, query: "none" }, [], false],
    [{ backwards: true, limit: 1 }, [6], true],
    [{ backwards: true, limit: 6 }, [6, 5, 4, 3, 2, 1], false],
    [{ backwards: true, query: queryOf(["a"]), limit: 1 }, [5], true],
    [{ backwards: true, query: queryOf(["a"]), limit: 3 }, [5, 3, 1], false],
    [{ backwards: true, query: queryOf(["a"], [tag("n", "3")]), limit: 1 }, [3], false],
    [{ backwards: true, query: queryOf(["a"]), beforeSequence: 5 }, [3, 1], false],
    [{ backwards: true, afterSequence: 4 }, [6, 5], false],
    [{ backwards: true, afterSequence: 4, limit: 1 }, [6], true],
    [{ backwards: true, afterSequence: 4, beforeSequence: 6, limit: 1 }, [5], false],
    [{ backwards: true, afterSequence: 4, beforeSequence: 5 }, [], false],
    [{ backwards: true, afterSequence: 9 }, [], false],
    [{ backwards: true, head: 4, limit: 3 }, [4, 3, 2], true],
    [{ backwards: true, ...from(1, 4) }, [4, 3, 2], false],
    [{ backwards: true, ...from(1, 4), limit: 2 }, [4, 3], true],
    [{ backwards: true, ...from(1, 5), query: queryOf(["b"]), beforeSequence: 4 }, [2], false],
  ];
  test("a chunk holds the requested events, and reports whether more match", async (store) => {
    await fill(store);
    for (const [request, sequences, hasMore] of cases) {
      const chunk = await read(store, request);
      const what = JSON.stringify(request);
      assert.deepEqual(sequencesOf(chunk), sequences, what);
      assert.deepEqual([chunk.events, chunk.end], [sequences.length, { hasMore }], what);
      if (!hasMore) assert.equal(chunk.last, endOf(request), what);
      assert.deepEqual([chunk.storeId, chunk.head], [store.storeId, 6], "always those of the store");
    }
  });

  test("an empty store gives an empty chunk with its ID and head 0", async (store) => {
    const { storeId } = store;
    const empty = { storeId, head: 0, lines: new Uint8Array(), events: 0, end: { hasMore: false } };
    for (const query of ["every", "none", queryOf(["t"])] as const) {
      assert.deepEqual(await read(store, { query }), { ...empty, last: 0 });
      assert.deepEqual(await read(store, { query, afterSequence: 9 }), { ...empty, last: 9 });
    }
  });
}

function pages(test: StoreTest): void {
  const queries: readonly Query[] = ["every", queryOf(["t"])];
  test("a large page comes in chunks up to the head of the first one, despite later writes", async (store) => {
    const events = Array.from({ length: 20 }, () => newEvent("t", [], "x".repeat(100_000)));
    await store.writer.group([storeWrite(events)]);
    for (const query of queries) {
      const { head } = await read(store, { query, limit: 1 });
      const sequences: number[] = [];
      let chunk: Chunk;
      do {
        chunk = await read(store, { query, head, afterSequence: sequences.at(-1) ?? 0 });
        sequences.push(...sequencesOf(chunk));
        await store.writer.group([ofTypes("t")]);
      } while (chunk.end === false);
      assert.deepEqual(sequences, Array.from({ length: head }, (_, i) => i + 1));
      assert.deepEqual(chunk.end, { hasMore: false });
    }
  });
}

/** Five blocks of events. At the start of the third one the clock goes back to the start. */
async function fillBlocks(store: Store): Promise<number[]> {
  const seconds = Array.from({ length: 5000 }, (_, i) => i % 2100);
  for (let i = 0; i < seconds.length; i += 1250) {
    const events = seconds.slice(i, i + 1250).map((second) => prepared(newEvent("t"), second * 1_000_000));
    written((await store.writer.group([{ ...storeWrite([]), events }]))[0]);
  }
  return seconds;
}

function times(test: StoreTest): void {
  test("reads by time find the events of every block, although the clock went back", async (store) => {
    const seconds = await fillBlocks(store);
    for (
      const [from, before] of [[50, 60], [1000, 1100], [1500, 3000], [2099, 2100], [2100, 9000]] as const
    ) {
      const time = { fromMicros: from * 1_000_000, beforeMicros: before * 1_000_000 };
      const expected = seconds.flatMap((second, i) => from <= second && second < before ? [i + 1] : []);
      for (const request of [{ query: "every" }, { query: queryOf(["t"]) }] as const) {
        assert.deepEqual(await sequencesOfAll(store.reads, { ...request, time }), expected);
        const found = await sequencesOfAll(store.reads, { ...request, time, backwards: true });
        assert.deepEqual(found, expected.toReversed(), "backwards");
      }
    }
  });
}

function projections(test: StoreTest): void {
  test("a payload comes back exactly, with its version and the store ID", async (store) => {
    const payloads = ["", "\u0000", "a\u0000b", "\ufeffa", "\ud83d\ude00", "x".repeat(65_536)];
    const create = payloads.map((payload, i) => ({ type: "p", id: `\u0000${i}`, payload }));
    const { versions } = written((await store.writer.group([changing({ create })]))[0]);
    for (const [i, { type, id, payload }] of create.entries()) {
      const { storeId, projection } = await store.reads.projection({ type, id });
      assert.equal(storeId, store.storeId);
      assert.equal(projection?.version, versions.create[i]?.version);
      assert.deepEqual(projection?.payload, new TextEncoder().encode(payload));
    }
    const absent = await store.reads.projection({ type: "p", id: "" });
    assert.deepEqual(absent, { storeId: store.storeId, projection: undefined });
  });
}

function many(test: StoreTest): void {
  test("reads see a write as soon as it was answered, even when many run at once", async (store) => {
    await store.reads.ping();
    for (let i = 1; i <= 20; i++) {
      await store.writer.group([ofTypes("t")]);
      // Only the new event, since on a loaded machine a chunk of several may end before the last.
      const reading = Array.from({ length: 8 }, () => read(store, { afterSequence: i - 1 }));
      assert.ok(store.reads.inUse >= 1 && store.reads.inUse <= store.reads.max);
      const seen = (await Promise.all(reading)).map(({ head, events }) => ({ head, events }));
      assert.deepEqual(seen, Array(8).fill({ head: i, events: 1 }));
      assert.equal(store.reads.inUse, 0);
    }
  });
}

function tallies(test: StoreTest): void {
  test("a tally counts events by type and names of identifiers", async (store) => {
    const { storeId } = store;
    const empty = { storeId, head: 0, last: 0, lastTimeMicros: undefined, kinds: [] };
    assert.deepEqual(await store.reads.tally(0), empty);
    const strange = ['"', "\\", '"]},', "\u0000", ":", '":"', "\u{1f600}"];
    const events = [
      newEvent("t", [tag("a", "1")]),
      newEvent("t", [tag("a", "2"), tag("a", "3")]),
      newEvent("t", [tag("b", "]"), tag("a", "x"), tag("a", '"],"c":"')], '"identifiers":{"d":"e"}'),
      newEvent('","identifiers":{', strange.map((text) => tag(text, text))),
      newEvent("t"),
      newEvent("t", [tag("metadata", '},"metadata":{')]),
      newEvent("t", [tag("a", "4")]),
    ].map((event, i) => prepared(event, 1_000_000 + i));
    written((await store.writer.group([{ ...storeWrite([]), events }]))[0]);
    const { kinds, ...rest } = await store.reads.tally(0);
    assert.deepEqual(rest, { storeId, head: 7, last: 7, lastTimeMicros: 1_000_006 });
    const inOrder = kinds.toSorted((a, b) => a.first - b.first)
      .map((kind) => ({ ...kind, identifiers: kind.identifiers.toSorted() }));
    assert.deepEqual(inOrder, [
      { type: "t", identifiers: ["a"], count: 3, first: 1, last: 7 },
      { type: "t", identifiers: ["a", "b"], count: 1, first: 3, last: 3 },
      { type: '","identifiers":{', identifiers: strange.toSorted(), count: 1, first: 4, last: 4 },
      { type: "t", identifiers: [], count: 1, first: 5, last: 5 },
      { type: "t", identifiers: ["metadata"], count: 1, first: 6, last: 6 },
    ]);
    const later = await store.reads.tally(5);
    assert.deepEqual(later.kinds.map(({ first, last, count }) => [first, last, count]).sort(), [[6, 6, 1], [
      7,
      7,
      1,
    ]]);
    assert.deepEqual(await store.reads.tally(7), { ...empty, head: 7, last: 7 });
    assert.deepEqual(await store.reads.tally(9), { ...empty, head: 7, last: 9 });
  });

  test("a tally stops after some events, and the next one continues", async (store) => {
    const types = Array.from({ length: 100 }, (_, i) => newEvent(`t${i % 2}`));
    for (let i = 0; i < 60; i++) written((await store.writer.group([storeWrite(types)]))[0]);
    const first = await store.reads.tally(0);
    assert.ok(first.last > 0 && first.last < 6000, `${first.last}`);
    const second = await store.reads.tally(first.last);
    assert.equal(second.last, 6000);
    const count = [first, second].flatMap(({ kinds }) => kinds).reduce((sum, kind) => sum + kind.count, 0);
    assert.equal(count, 6000);
  });
}
