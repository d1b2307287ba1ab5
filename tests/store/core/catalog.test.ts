import assert from "node:assert/strict";
import { throwIfFailed } from "../../../src/store/api/outcome.ts";
import type { Store } from "../../../src/store/api/store.ts";
import { Catalog } from "../../../src/store/core/catalog/catalog.ts";
import { CatalogCounts } from "../../../src/store/core/catalog/catalog_counts.ts";
import { SqliteStore } from "../../../src/store/sqlite/sqlite_store.ts";
import { eventually } from "../../support/eventually.ts";
import { newEvent, storeWrite, tag } from "../made_writes.ts";
import { TestDirectory } from "../test_store.ts";

/** More events than are counted again after a restart. */
const MANY = 110_000;

async function append(store: Store, count: number, type: string): Promise<void> {
  for (let left = count; left > 0; left -= 1000) {
    const events = Array.from({ length: Math.min(left, 1000) }, () => newEvent(type, [tag("n", "1")]));
    throwIfFailed((await store.writer.group([storeWrite(events)]))[0]!);
  }
}

function catalogOf(store: Store, tallies: number[] = []): Catalog {
  const { feed, reads } = store;
  const watched: Pick<Store["reads"], "tally" | "projection"> = {
    projection: (key) => reads.projection(key),
    tally(afterSequence) {
      tallies.push(afterSequence);
      return reads.tally(afterSequence);
    },
  };
  const store2 = { feed, reads: watched as Store["reads"] };
  return new Catalog(store2, async (write) => (await store.writer.group([write]))[0] as never);
}

/** The last event that the saved catalog counts. */
async function savedIn(store: Store): Promise<number | undefined> {
  const { projection } = await store.reads.projection({ type: "", id: "" });
  return projection && JSON.parse(new TextDecoder().decode(projection.payload)).afterSequence;
}

Deno.test("a catalog is saved, so that a restart counts only the events after it", async () => {
  using directory = new TestDirectory();
  const options = { dataDir: directory.path, readersMax: 2 };
  const first = await SqliteStore.open(options);
  await append(first, MANY, "a");
  const catalog = catalogOf(first);
  while ((await catalog.document()).afterSequence < MANY);
  await eventually(async () => assert.ok(await savedIn(first) !== undefined, "it is saved by itself"), 30);
  assert.equal((await catalog.document()).types[0]!.count, MANY);
  // It is saved anew when it was deleted with all projections, and not counted anew.
  throwIfFailed(await first.writer.deleteProjections(undefined));
  await append(first, MANY, "a");
  while ((await catalog.document()).afterSequence < 2 * MANY);
  await eventually(async () => assert.ok((await savedIn(first))! >= MANY), 30);
  await catalog.close();
  assert.equal(
    (await first.reads.projections({ space: "", type: undefined, after: undefined, limit: 9 })).lines,
    '{"hasMore":false}\n',
  );
  await append(first, 10, "b");
  await first.close();

  const second = await SqliteStore.open(options);
  const tallies: number[] = [];
  const later = catalogOf(second, tallies);
  let document = await later.document();
  while (document.afterSequence < 2 * MANY + 10) document = await later.document();
  const { types, identifiers } = document;
  assert.ok(tallies[0]! >= MANY, `counted from ${tallies[0]}`);
  assert.deepEqual(types.map(({ type, count }) => [type, count]), [["a", 2 * MANY], ["b", 10]]);
  assert.deepEqual(identifiers, [{ name: "n", count: 2 * MANY + 10 }]);

  throwIfFailed(await second.writer.reset());
  assert.deepEqual((await later.document()).types, []);
  await append(second, 1, "c");
  assert.deepEqual((await later.document()).types, [{ type: "c", count: 1, first: 1, last: 1 }]);
  await later.close();
  await second.close();
});

Deno.test("a catalog lists a limited amount of types, and says when there are more", () => {
  const counts = new CatalogCounts("id");
  const kind = (type: string, first: number) => ({ type, identifiers: [type], count: 1, first, last: first });
  const tally = { storeId: "id", head: 9, lastTimeMicros: 0 };
  const long = (letter: string): string => letter.repeat(60_000);
  counts.add({ ...tally, last: 2, kinds: [kind(long("a"), 1), kind(long("b"), 2)] });
  assert.equal(counts.document.moreTypes, undefined);
  counts.add({ ...tally, last: 5, kinds: [kind(long("c"), 3), kind("d", 4), kind(long("a"), 5)] });
  const { document } = counts;
  assert.deepEqual([document.moreTypes, document.moreIdentifiers], [true, true]);
  const ofTypes = document.types.map(({ type, count, first, last }) => [type[0], count, first, last]);
  assert.deepEqual(
    ofTypes,
    [["a", 2, 1, 5], ["b", 1, 2, 2]],
    "d is not listed, since it may have come before",
  );

  const loaded = CatalogCounts.of(JSON.parse(JSON.stringify(document)));
  assert.deepEqual(loaded.document, document);
  loaded.add({ ...tally, last: 6, kinds: [kind("d", 6)] });
  assert.equal(loaded.document.types.length, 2, "nor after a restart");
});

Deno.test("the first event of a type counts, in whatever order its kinds come", () => {
  const counts = new CatalogCounts("s");
  const kind = { type: "t", count: 1 };
  const kinds = [
    { ...kind, identifiers: ["b"], first: 5, last: 5 },
    { ...kind, identifiers: ["a"], first: 2, last: 2 },
  ];
  counts.add({ storeId: "s", head: 5, last: 5, lastTimeMicros: undefined, kinds });
  assert.deepEqual(counts.document.types, [{ type: "t", count: 2, first: 2, last: 5 }]);
});
