import assert from "node:assert/strict";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import { listenTo } from "../../../src/store/postgres/cluster/notifications.ts";
import type { StoreWrite } from "../../../src/store/api/write.ts";
import { allTypesOf } from "../../store/chunks.ts";
import { changing, newEvent, ofTypes, storeWrite, unless } from "../../store/made_writes.ts";
import { conflictOf, DONE, kindOf, written } from "../../store/outcomes.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { SharedStores } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

/** A payload that looks like the end of the tags. */
const PAYLOAD = '"identifiers":{},"metadata":{},"payload":"\\"';

await clusterTest("several servers of edition A write to one store, in one order", async (cluster) => {
  await using shared = await SharedStores.open(cluster, 3);
  const { stores, broken } = shared;
  assert.equal(new Set(stores.map(({ storeId }) => storeId)).size, 1);
  assert.equal(stores.filter(({ opened }) => opened.created).length, 1, "one of them has created it");
  const types: string[] = [];
  for (let round = 0; round < 5; round++) {
    for (const [i, store] of stores.entries()) {
      const type = `${round}.${i}`;
      types.push(type);
      assert.equal(written((await store.writer.group([ofTypes(type)]))[0]).firstSequence, types.length);
    }
  }
  for (const store of stores) assert.deepEqual(await allTypesOf(store.reads), types);
  assert.deepEqual(broken, []);
});

await clusterTest(
  "writes that join a write transaction see the writes before them, and count like them",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 1);
    const [{ writer, reads, counts }] = shared.stores;
    const create = [{ type: "p", id: "1", payload: "x" }];
    const joining = (...late: StoreWrite[]): () => StoreWrite[] => () => late;
    // The memory of events proves that these may be written.
    const plain = await writer.group([ofTypes("a")], joining(unless("none", 0, "b"), ofTypes("c")));
    assert.deepEqual(plain.map((outcome) => written(outcome).firstSequence), [1, 2, 3]);
    // These must query the database.
    const asking = await writer.group(
      [ofTypes("d"), changing({ create })],
      joining(unless("d", 0, "lost"), changing({ create }), unless("c", 3, "e"), unless("e", 0, "lost")),
    );
    const kinds = ["written", "written", "conflict", "conflict", "written", "conflict"];
    assert.deepEqual(asking.map(kindOf), kinds);
    const matches = { list: "conditions", index: 0, cause: "eventMatches" };
    assert.deepEqual(conflictOf(asking[2]), { ...matches, sequence: 4 });
    assert.deepEqual(conflictOf(asking[3]), { list: "create", index: 0, cause: "exists" });
    assert.deepEqual(conflictOf(asking[5]), { ...matches, sequence: 5 });
    // A write that PostgreSQL rejects does not fail the others, whichever came first.
    const rejected = { ...ofTypes("lost"), events: [{ timeMicros: 0, body: "a NUL: \0", terms: "no uuid" }] };
    const divided = await writer.group([ofTypes("f")], joining(rejected, ofTypes("g")));
    assert.deepEqual(divided.map(kindOf), ["written", "failed", "written"]);
    const nothing = await writer.group([unless("a", 0, "lost")], joining(ofTypes("h")));
    assert.deepEqual(nothing.map(kindOf), ["conflict", "written"]);
    assert.deepEqual(await allTypesOf(reads), ["a", "b", "c", "d", "e", "f", "g", "h"]);
    assert.equal(counts.writesGrouped, 14, "those that have joined count as members");
  },
);

await clusterTest(
  "conditions hold over the writes of others since the last write transaction",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 2);
    const [first, second] = shared.stores;
    assert.ok(second !== undefined);
    // A server reads few remote events in the write transaction. After many, it forgets what it knew.
    for (const count of [1, 3, 999, 1000, 1001, 2500]) {
      const head: number = second.feed.state.head;
      const name = `of ${count}`;
      const events = Array.from(
        { length: count },
        (_, i) => newEvent(i === count - 1 ? name : "other", [], PAYLOAD),
      );
      written((await first.writer.group([storeWrite(events)]))[0]);
      const outcomes = await second.writer.group([
        unless(name, head, "lost"),
        unless(name, head + count, `after ${count}`),
        unless(`after ${count}`, 0, "lost"),
      ]);
      assert.deepEqual(outcomes.map(kindOf), ["conflict", "written", "conflict"]);
      assert.equal((conflictOf(outcomes[0]) as { sequence: number }).sequence, head + count);
      assert.equal(written(outcomes[1]).firstSequence, head + count + 1);
      assert.equal((conflictOf(outcomes[2]) as { sequence: number }).sequence, head + count + 1);
      assert.equal(second.feed.state.head, head + count + 1);
    }
    assert.deepEqual(await first.writer.reset(), DONE);
    const outcomes = await second.writer.group([unless("after 1", 0, "anew"), unless("anew", 0, "lost")]);
    assert.deepEqual(outcomes.map(kindOf), ["written", "conflict"]);
    assert.deepEqual([written(outcomes[0]).storeId, written(outcomes[0]).firstSequence], [first.storeId, 1]);
    assert.deepEqual(await allTypesOf(first.reads), ["anew"]);
    assert.deepEqual(shared.broken, []);
  },
);

await clusterTest(
  "a server that is never idle reports many write transactions in one notification",
  async (cluster) => {
    await using shared = await SharedStores.open(cluster, 2);
    const [writer, other] = shared.stores;
    let notices = 0;
    const listener = await openPrimary(shared.location, "informing", { onNotification: () => notices++ });
    await listener.run([listenTo(shared.location.schema)]);
    const began = performance.now();
    for (let turn = 0; turn < 100; turn++) await writer.writer.group([ofTypes("a")]);
    const told = notices;
    const milliseconds = performance.now() - began;
    await listener.close();
    assert.ok(told >= 1 && told <= 2 + milliseconds / 8, `${told} notices in ${milliseconds} ms`);
    await inTime(() => assert.equal(other!.feed.state.head, 100));
  },
);
