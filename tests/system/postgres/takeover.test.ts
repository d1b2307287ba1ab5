import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { PostgresLocation } from "../../../src/store/postgres/connection/address.ts";
import type { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { EVERYTHING, typesOf } from "../../store/chunks.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { DONE, kindOf, written } from "../../store/outcomes.ts";
import { eventually } from "../../support/eventually.ts";
import { endSessions } from "./support/end_sessions.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { brokenOf, newLocation, openStore } from "./support/shared_stores.ts";

const OPTIONS = { edition: "C", servers: "exclusive" } as const;

function open(location: PostgresLocation): Promise<PostgresStore> {
  return openStore(location, OPTIONS);
}

async function storedTypes(store: PostgresStore): Promise<string[]> {
  return typesOf(await store.reads.chunk(EVERYTHING));
}

await clusterTest("a store has one server, and the next one when that has ended", async (cluster) => {
  const location = newLocation(cluster);
  const first = await open(location);
  written((await first.writer.group([ofTypes("a")]))[0]);
  await assert.rejects(
    open(location),
    /^PostgresStoreError: the store in schema s_\w+ of database postgres at 127\.0\.0\.1:\d+ as postgres: it is in use by another server \(connected from 127\.0\.0\.1, process \d+ of PostgreSQL\)$/,
  );
  const other = await open(newLocation(cluster));
  assert.notEqual(other.storeId, first.storeId, "another schema is another store");
  await other.close();
  await first.close();
  const second = await open(location);
  assert.deepEqual([second.opened.created, second.opened.head], [false, 1]);
  await second.close();
});

await clusterTest(
  "a server that lost its connection continues, unless another one has taken over",
  async (cluster) => {
    const location = newLocation(cluster);
    const first = await open(location);
    const broken = brokenOf(first);
    written((await first.writer.group([ofTypes("a")]))[0]);
    assert.deepEqual(await storedTypes(first), ["a"]);
    await endSessions(cluster);
    await eventually(async () => {
      assert.equal(kindOf((await first.writer.group([ofTypes("b")]))[0]), "written");
      assert.deepEqual(await storedTypes(first), ["a", "b"]);
    });
    assert.deepEqual(broken, []);

    // As a server does when it takes over.
    await cluster.sql(`UPDATE ${location.schema}.store SET server = 'another'`);
    const outcome = (await first.writer.group([ofTypes("lost")]))[0];
    assert.equal(kindOf(outcome), "failed");
    assert.deepEqual(broken, ["another server has taken over the store"]);
    assert.equal(kindOf((await first.writer.group([ofTypes("lost")]))[0]), "failed");
    await first.close();
    const second = await open(location);
    assert.equal(written((await second.writer.group([ofTypes("c")]))[0]).firstSequence, 3);
    assert.deepEqual(await storedTypes(second), ["a", "b", "c"]);
    await second.close();
  },
);

await clusterTest(
  "a write transaction that loses its connection leaves nothing, and the next one works",
  async (cluster) => {
    const store = await open(newLocation(cluster));
    assert.deepEqual(await store.writer.begin(), DONE);
    written(await store.writer.writeInside(ofTypes("undone")));
    await endSessions(cluster);
    const late = await store.writer.writeInside(ofTypes("undone"));
    assert.deepEqual([kindOf(late), (late as { code?: string }).code], ["failed", "Unavailable"]);
    assert.equal((await store.writer.commit()).kind, "failed");
    assert.equal(written((await store.writer.group([ofTypes("a")]))[0]).firstSequence, 1);
    await eventually(async () => assert.deepEqual(await storedTypes(store), ["a"]));
    await store.close();
  },
);

await clusterTest(
  "a write transaction that is not ended stays open as long as its server lives",
  async (cluster) => {
    const store = await open(newLocation(cluster));
    assert.deepEqual(await store.writer.begin(), DONE);
    written(await store.writer.writeInside(ofTypes("a")));
    // PostgreSQL ends sessions that are idle in a transaction for ten seconds.
    await delay(11_500);
    assert.deepEqual(await store.writer.commit(), DONE);
    assert.deepEqual(await storedTypes(store), ["a"]);
    await store.close();
  },
);
