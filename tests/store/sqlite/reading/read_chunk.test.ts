import assert from "node:assert/strict";
import fc from "fast-check";
import type { Query } from "../../../../src/model/query.ts";
import type { Chunk, ChunkRequest } from "../../../../src/store/api/chunk.ts";
import { readChunk } from "../../../../src/store/sqlite/reading/read_chunk.ts";
import { EVERYTHING } from "../../chunks.ts";
import { event } from "../../arbitraries.ts";
import { newEvent, queryOf, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { pageOf } from "../page_of.ts";

const CHUNK_BYTES = 192 * 1024;

interface Line {
  readonly sequence: number;
  readonly time: string;
  readonly type: string;
  readonly identifiers: Record<string, string | string[]>;
  readonly metadata: Record<string, string | string[]>;
  readonly payload: string;
}

function lines(chunk: Chunk): Line[] {
  const text = new TextDecoder("utf-8", { fatal: true }).decode(chunk.lines);
  if (text === "") return [];
  assert.ok(text.endsWith("\n"));
  return text.slice(0, -1).split("\n").map((line) => JSON.parse(line) as Line);
}

function read(store: TestStore, request: Partial<ChunkRequest> = {}): Chunk {
  return readChunk(store.db, { ...EVERYTHING, ...request }, false);
}

/** A whole page. */
function readPage(
  store: TestStore,
  query: Query,
  limit: number,
  backwards = false,
): { chunks: Chunk[]; hasMore: boolean } {
  const chunks = [...pageOf(store, { query, limit, backwards })];
  const { end } = chunks.at(-1)!;
  return { chunks, hasMore: end !== false && end.hasMore };
}

Deno.test("a read of few events reads few rows of a long list, even if some of them do not match", () => {
  using store = new TestStore();
  store.append(
    Array.from({ length: 12_000 }, (_, i) => {
      return i % 120 === 0 ? newEvent(i % 240 === 0 ? "b" : "a", [tag("rare", "v")]) : newEvent("a");
    }),
  );
  const all = store.db.all.bind(store.db);
  let rows = 0;
  store.db.all = (sql, ...values) => {
    const found = all(sql, ...values);
    if (sql.includes("body FROM json_each")) rows += found.length;
    return found;
  };
  const { events } = read(store, { query: queryOf(["a"], [tag("rare", "v")]), limit: 10, backwards: true });
  assert.equal(events, 10);
  assert.ok(rows >= 20 && rows <= 24, `${rows} rows`);
});

Deno.test("an event comes back as it was appended, whatever its strings hold", () => {
  fc.assert(
    fc.property(
      fc.array(fc.oneof(event, event.map((it) => ({ ...it, payload: '\u2028\\"\u0000\ud83d\ude00' }))), {
        maxLength: 10,
      }),
      (events) => {
        using store = new TestStore();
        store.append(events);
        const chunk = read(store);
        assert.deepEqual(
          [chunk.events, chunk.last, chunk.head, chunk.end],
          [events.length, events.length, events.length, { hasMore: false }],
        );
        for (const [i, line] of lines(chunk).entries()) {
          const { type, payload, identifiers, metadata } = events[i]!;
          const { sequence, time } = line;
          const expected = { sequence: i + 1, time: "2023-11-14T22:13:20.000000Z", type, payload };
          assert.deepEqual({ sequence, time, type: line.type, payload: line.payload }, expected);
          for (const [tags, read] of [[identifiers, line.identifiers], [metadata, line.metadata]] as const) {
            const pairs = Object.entries(read).flatMap(([name, values]) =>
              [values].flat().map((v) => [name, v])
            );
            const sent = tags.map(({ name, value }) => [name, value]);
            assert.deepEqual(pairs.map(String).sort(), sent.map(String).sort());
          }
        }
      },
    ),
    { numRuns: 40 },
  );
});

for (const query of ["every", queryOf(["t"]), queryOf(["t"], [tag("n", "v")])] as const) {
  Deno.test(`hasMore is exact at the limit and next to it, for ${JSON.stringify(query)}`, () => {
    using store = new TestStore();
    const others = Array.from({ length: 100 }, () => newEvent("other"));
    const matching = Array.from({ length: 300 }, () => newEvent("t", [tag("n", "v")]));
    store.append(query === "every" ? matching : [...others, ...matching, ...others]);
    for (const wanted of [1, 255, 256, 257, 299, 300, 301, 1000]) {
      for (const backwards of [false, true]) {
        const chunk = read(store, { query, limit: wanted, backwards });
        assert.equal(chunk.events, Math.min(wanted, 300));
        assert.equal(lines(chunk).length, chunk.events);
        assert.deepEqual(chunk.end, { hasMore: wanted < 300 }, `a limit of ${wanted}`);
      }
    }
  });
}

Deno.test("a chunk ends with the event that takes it over 192 KB, and the next one continues after it", () => {
  using store = new TestStore();
  store.append(Array.from({ length: 60 }, (_, i) => newEvent("t", [], String(i % 10).repeat(100_000))));
  for (const query of ["every", queryOf(["t"])] as const) {
    for (const backwards of [false, true]) {
      const { chunks, hasMore } = readPage(store, query, 55, backwards);
      assert.equal(hasMore, true);
      for (const [i, { lines, events, end }] of chunks.entries()) {
        if (i === chunks.length - 1) continue;
        assert.equal(end, false);
        const { length } = lines;
        assert.ok(length >= CHUNK_BYTES && length < CHUNK_BYTES + 101_000, `${length} bytes`);
        assert.equal(events, Math.ceil(CHUNK_BYTES / 100_000));
      }
      const sequences = chunks.flatMap(lines).map(({ sequence }) => sequence);
      assert.deepEqual(sequences, Array.from({ length: 55 }, (_, i) => backwards ? 60 - i : i + 1));
    }
  }
});

Deno.test("a page whose last event fills a chunk still learns whether more match", () => {
  using store = new TestStore();
  store.append(Array.from({ length: 3 }, () => newEvent("t", [], "x".repeat(CHUNK_BYTES))));
  for (const [limit, hasMore] of [[2, true], [3, false], [4, false]] as const) {
    for (const backwards of [false, true]) {
      const page = readPage(store, "every", limit, backwards);
      assert.equal(page.hasMore, hasMore, `a limit of ${limit}`);
      assert.equal(page.chunks.flatMap(lines).length, Math.min(limit, 3));
    }
  }
});

Deno.test("a page of large events reads no event again and again", () => {
  using store = new TestStore();
  const events = 600;
  store.append(Array.from({ length: events }, () => newEvent("t", [], "x".repeat(60_000))));
  const rowsRead = { count: 0 };
  const all = store.db.all.bind(store.db);
  store.db.all = (sql, ...values) => {
    const rows = all(sql, ...values);
    if (sql.includes("body")) rowsRead.count += rows.length;
    return rows;
  };
  for (const query of ["every", queryOf(["t"])] as const) {
    for (const backwards of [false, true]) {
      rowsRead.count = 0;
      assert.equal(readPage(store, query, events, backwards).hasMore, false);
      assert.ok(rowsRead.count <= 4 * events, `${rowsRead.count} rows were read for ${events} events`);
    }
  }
});
