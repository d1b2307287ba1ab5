import assert from "node:assert/strict";
import type { StorePlace } from "../../../src/store/postgres/connection/place.ts";
import { PostgresStore } from "../../../src/store/postgres/postgres_store.ts";
import { EVERYTHING, typesOf } from "../../store/chunks.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { begin, event } from "../../editions/c_ticket/client.ts";
import { DONE, kindOf, written } from "../../store/outcomes.ts";
import { eventually } from "../../support/eventually.ts";
import { expectStatus } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { clusterTest } from "./support/postgres_test.ts";

const OPTIONS = { readersMax: 2, edition: "C", servers: "exclusive" } as const;

function placeIn(cluster: PostgresCluster): StorePlace {
  return { address: cluster.address(), schema: `s_${crypto.randomUUID().replaceAll("-", "")}` };
}

/** Ends the connections of all stores, as an administrator can. */
async function endSessions(cluster: PostgresCluster): Promise<void> {
  await cluster.sql(
    "SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE application_name = 'eventstore' AND pid <> pg_backend_pid()",
  );
}

async function storedTypes(store: PostgresStore): Promise<string[]> {
  return typesOf(await store.reads.chunk(EVERYTHING));
}

await clusterTest("a store has one server, and the next one when that has ended", async (cluster) => {
  const place = placeIn(cluster);
  const first = await PostgresStore.open(place, OPTIONS);
  written((await first.turns.group([ofTypes("a")]))[0]);
  await assert.rejects(
    PostgresStore.open(place, OPTIONS),
    /^PostgresStoreError: the store in schema s_\w+ of database postgres at 127\.0\.0\.1:\d+ as postgres: it is in use by another server \(connected from 127\.0\.0\.1, process \d+ of PostgreSQL\)$/,
  );
  const other = await PostgresStore.open(placeIn(cluster), OPTIONS);
  assert.notEqual(other.storeId, first.storeId, "another schema is another store");
  await other.close();
  await first.close();
  const second = await PostgresStore.open(place, OPTIONS);
  assert.deepEqual([second.opened.created, second.opened.head], [false, 1]);
  await second.close();
});

await clusterTest(
  "a server that lost its connection goes on, unless another one has taken over",
  async (cluster) => {
    const place = placeIn(cluster);
    const first = await PostgresStore.open(place, OPTIONS);
    const broken: string[] = [];
    first.onBroken = (reason) => broken.push(reason);
    written((await first.turns.group([ofTypes("a")]))[0]);
    assert.deepEqual(await storedTypes(first), ["a"]);
    await endSessions(cluster);
    await eventually(async () => {
      assert.equal(kindOf((await first.turns.group([ofTypes("b")]))[0]), "written");
      assert.deepEqual(await storedTypes(first), ["a", "b"]);
    });
    assert.deepEqual(broken, []);

    await endSessions(cluster);
    const second = await PostgresStore.open(place, OPTIONS);
    const outcome = (await first.turns.group([ofTypes("lost")]))[0];
    assert.equal(kindOf(outcome), "failed");
    assert.deepEqual(broken, ["another server has taken over the store"]);
    assert.equal(kindOf((await first.turns.group([ofTypes("lost")]))[0]), "failed");
    assert.equal(written((await second.turns.group([ofTypes("c")]))[0]).firstSequence, 3);
    assert.deepEqual(await storedTypes(second), ["a", "b", "c"]);
    await first.close();
    await second.close();
  },
);

await clusterTest(
  "a turn that loses its connection leaves nothing, and the next one goes on",
  async (cluster) => {
    const store = await PostgresStore.open(placeIn(cluster), OPTIONS);
    assert.deepEqual(await store.turns.begin(), DONE);
    written(await store.turns.writeInside(ofTypes("undone")));
    await endSessions(cluster);
    const late = await store.turns.writeInside(ofTypes("undone"));
    assert.deepEqual([kindOf(late), (late as { code?: string }).code], ["failed", "Unavailable"]);
    assert.equal((await store.turns.commit()).kind, "failed");
    assert.equal(written((await store.turns.group([ofTypes("a")]))[0]).firstSequence, 1);
    await eventually(async () => assert.deepEqual(await storedTypes(store), ["a"]));
    await store.close();
  },
);

await clusterTest("a turn that nobody ends stays open as long as its server lives", async (cluster) => {
  const store = await PostgresStore.open(placeIn(cluster), OPTIONS);
  assert.deepEqual(await store.turns.begin(), DONE);
  written(await store.turns.writeInside(ofTypes("a")));
  // PostgreSQL ends what is idle in a transaction for ten seconds.
  await new Promise((resolve) => setTimeout(resolve, 11_500));
  assert.deepEqual(await store.turns.commit(), DONE);
  assert.deepEqual(await storedTypes(store), ["a"]);
  await store.close();
});

await clusterTest(
  "a server that froze inside a turn is replaced, and writes nothing when it wakes up",
  async (cluster) => {
    const env = { SERVICE_EDITION: "C", SERVICE_STORAGE: "postgres", SERVICE_POSTGRES_URL: cluster.url() };
    await using frozen = await startServer({ env: { ...env, SERVICE_TRANSACTION_TIMEOUT: "15" } });
    const transaction = await begin(frozen.client());
    expectStatus(await transaction.append([event("t", "undone")]), 200);
    frozen.signal("SIGSTOP");
    await using second = await startedOnce(() => startServer({ env }));
    const successor = await begin(second.client());
    expectStatus(await successor.append([event("t", "kept")]), 200);
    expectStatus(await successor.commit(), 204);
    frozen.signal("SIGCONT");
    const late = await transaction.commit().catch(() => undefined);
    assert.notEqual(late?.status, 204);
    // Its next turn finds out.
    await frozen.client().request("POST", "/begin").catch(() => undefined);
    const { code, stderr } = await frozen.ended(30);
    assert.equal(code, 1, stderr);
    assert.match(
      stderr,
      /the store has failed and the server must be restarted: another server has taken over/,
    );
    assert.deepEqual((await second.client().allEvents()).map(({ payload }) => payload), ["kept"]);
  },
);

/** Starts a server as soon as the store is free: PostgreSQL ends a turn in which nothing happens for ten seconds. */
async function startedOnce(start: () => Promise<ServerProcess>): Promise<ServerProcess> {
  for (let tried = 0;; tried++) {
    try {
      return await start();
    } catch (error) {
      if (tried === 5) throw error;
      assert.match((error as Error).message, /it is in use by another server/);
    }
  }
}
