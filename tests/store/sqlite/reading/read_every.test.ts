import assert from "node:assert/strict";
import fc from "fast-check";
import type { ChunkRequest } from "../../../../src/store/api/chunk.ts";
import type { ChunkWork } from "../../../../src/store/core/chunks/chunk_work.ts";
import { scanEvents } from "../../../../src/store/sqlite/tables/events.ts";
import { eventLine } from "../../../../src/wire/event.ts";
import { newEvent } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";
import { pageOf } from "../page_of.ts";

const HOUR_MICROS = 3_600_000_000;
const decoder = new TextDecoder("utf-8", { fatal: true });

interface Chunks {
  /** The text of all chunks together. */
  readonly text: string;
  readonly sizes: readonly number[];
  readonly hasMore: boolean;
}

/** All chunks of a page of all events. */
function chunksOf(store: TestStore, page?: Partial<ChunkRequest>, work?: ChunkWork): Chunks {
  const chunks = [...pageOf(store, page ?? {}, work)];
  const parts = chunks.map(({ lines, events }) => {
    const part = decoder.decode(lines);
    assert.equal(part.split("\n").length - 1, events);
    return part;
  });
  const { end } = chunks.at(-1)!;
  const sizes = chunks.map(({ lines }) => lines.length);
  return { text: parts.join(""), sizes, hasMore: end !== false && end.hasMore };
}

/** The lines that are made from the rows of a range. */
function linesOf(store: TestStore, after: number, upTo: number): string {
  return scanEvents(store.db, { after, upTo }, 10_000).map(eventLine).join("");
}

Deno.test("the lines that SQLite joins equal those made from rows, for any times and texts", () => {
  const start = 1_700_000_000_000_000;
  const microseconds = fc.oneof(
    fc.integer({ min: start, max: start + 2 * HOUR_MICROS }),
    fc.integer({ min: -4_000_000_000_000_000, max: 4_000_000_000_000_000 }),
    fc.constantFrom(
      0,
      1,
      -1,
      -5,
      -HOUR_MICROS,
      -HOUR_MICROS - 1,
      HOUR_MICROS - 1,
      HOUR_MICROS,
      951_782_399_999_999,
      951_782_400_000_000,
      999_999,
    ),
  );
  const payload = fc.oneof(
    fc.string({ unit: "grapheme" }),
    fc.constantFrom("", '%d%s"\\', "}\n{", "\u0000", "\u2028\ud83d\ude00"),
  );
  fc.assert(
    fc.property(
      fc.array(fc.tuple(microseconds, payload), { minLength: 1, maxLength: 60 }),
      fc.nat(60),
      fc.integer({ min: 1, max: 70 }),
      (events, after, limit) => {
        using store = new TestStore();
        store.append(events.map(([, text]) => newEvent("t", [], text)), events.map(([time]) => time));
        const upTo = Math.min(events.length, after + limit);
        const { text, hasMore } = chunksOf(store, { afterSequence: after, limit });
        assert.equal(text, linesOf(store, after, upTo));
        assert.equal(hasMore, upTo < events.length);
      },
    ),
    { numRuns: 60 },
  );
});

Deno.test("chunks of events of any size continue each other, and none is larger than it need be", () => {
  using store = new TestStore();
  const LARGEST = 300_000;
  const lengths = [
    ...Array<number>(3000).fill(0),
    ...Array<number>(40).fill(60_000),
    ...Array<number>(900).fill(700),
    LARGEST,
    ...Array<number>(500).fill(1),
  ];
  store.append(
    lengths.map((length) => newEvent("t", [], "\u20ac".repeat(length / 3) + "x".repeat(length % 3))),
  );
  const { text, sizes, hasMore } = chunksOf(store);
  assert.equal(hasMore, false);
  assert.equal(text, linesOf(store, 0, store.head));
  const enough = 192 * 1024;
  for (const [i, size] of sizes.slice(0, -1).entries()) {
    assert.ok(size >= enough && size < 1.3 * enough + LARGEST, `chunk ${i} has ${size} bytes`);
  }
  assert.ok(sizes.toSorted((a, b) => a - b).at(-2)! < 1.3 * enough, sizes.join());
});

Deno.test("when it takes long, a chunk ends before it is full", () => {
  using store = new TestStore();
  store.append(Array.from({ length: 1000 }, () => newEvent("t")));
  const work: ChunkWork = { millisecondsMax: 0, workMin: 0, slowMillisecondsMax: 0 };
  const { text, sizes } = chunksOf(store, {}, work);
  assert.equal(text, linesOf(store, 0, 1000));
  assert.ok(sizes.length > 100, `${sizes.length} chunks`);
});

Deno.test("events that are missing in a damaged store are passed over", () => {
  using store = new TestStore();
  store.append(Array.from({ length: 1000 }, () => newEvent("t")));
  store.db.run("DELETE FROM event WHERE sequence BETWEEN 3 AND 20 OR sequence BETWEEN 500 AND 999");
  const { text, hasMore } = chunksOf(store);
  assert.equal(text, linesOf(store, 0, 1000));
  assert.equal(hasMore, false);
});
