import assert from "node:assert/strict";
import { delay } from "../../src/async/delay.ts";
import { makeWithin } from "../../src/model/within.ts";
import type { Chunk, ChunkRequest } from "../../src/store/api/chunk.ts";
import type { CatalogDocument } from "../../src/store/core/catalog/catalog_counts.ts";
import { CatalogsWithin } from "../../src/view/catalogs_within.ts";
import { eventBody, eventLine } from "../../src/wire/event.ts";
import { newEvent } from "../store/made_writes.ts";

const TENANTS = Array.from({ length: 20 }, (_, i) => makeWithin([{ name: "tenant", value: `t${i}` }]));
const CHUNK_EVENTS = 10;

/** Reads of a store in which every event is within. */
class Reads {
  storeId = "first";
  head = 35;
  milliseconds = 0;
  /** The positions of the reads. */
  readonly positions: number[] = [];

  async chunk({ afterSequence }: ChunkRequest): Promise<Chunk> {
    this.positions.push(afterSequence);
    await delay(this.milliseconds);
    const last = Math.max(afterSequence, Math.min(this.head, afterSequence + CHUNK_EVENTS));
    const lines = Array.from(
      { length: last - afterSequence },
      (_, i) =>
        eventLine({
          sequence: afterSequence + i + 1,
          timeMicros: 1_000_000 * i,
          body: eventBody(newEvent("t")),
        }),
    );
    return {
      storeId: this.storeId,
      head: this.head,
      lines: new TextEncoder().encode(lines.join("")),
      events: lines.length,
      last,
      end: last < this.head ? false : { hasMore: false },
    };
  }
}

function countOf({ types, afterSequence }: CatalogDocument): number {
  assert.equal(types[0]?.count ?? 0, afterSequence);
  return afterSequence;
}

Deno.test("a catalog within counts on from where it was, and starts anew with a new store", async () => {
  const reads = new Reads();
  const catalogs = new CatalogsWithin(reads);
  const document = () => catalogs.document(TENANTS[0]!);
  // Requests at the same time count nothing twice.
  assert.deepEqual((await Promise.all([document(), document()])).map(countOf), [35, 35]);
  reads.head = 40;
  assert.equal(countOf(await document()), 40);
  assert.deepEqual(reads.positions, [0, 10, 20, 30, 35, 35]);
  [reads.storeId, reads.head] = ["second", 5];
  assert.equal(countOf(await document()), 5);
  // The same store with fewer events than were counted.
  reads.head = 3;
  assert.equal(countOf(await document()), 3);
});

Deno.test("a catalog within that takes long ends before the head, and continues when it is asked again", async () => {
  const reads = new Reads();
  reads.milliseconds = 150;
  const catalogs = new CatalogsWithin(reads);
  assert.equal(countOf(await catalogs.document(TENANTS[0]!)), 20);
  assert.equal(countOf(await catalogs.document(TENANTS[0]!)), 35);
});

Deno.test("the counts of as many parts are kept as fit, those that were asked for last", async () => {
  const reads = new Reads();
  // Each has one type, and the length of its space.
  const catalogs = new CatalogsWithin(reads, 10 * (TENANTS.at(-1)!.space.length + 1));
  for (const within of TENANTS) await catalogs.document(within);
  reads.positions.length = 0;
  await catalogs.document(TENANTS.at(-10)!);
  await catalogs.document(TENANTS[0]!);
  assert.deepEqual(reads.positions, [35, 0, 10, 20, 30]);
  const all = new CatalogsWithin(reads);
  for (const within of TENANTS) await all.document(within);
  reads.positions.length = 0;
  for (const within of TENANTS) assert.equal(countOf(await all.document(within)), 35);
  assert.deepEqual(reads.positions, TENANTS.map(() => 35));
});
