import assert from "node:assert/strict";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import type { Row } from "../../../src/store/postgres/protocol/cells.ts";
import { LOCK_STORE } from "../../../src/store/postgres/tables/state.ts";
import { allTypesOf } from "../../store/chunks.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { kindOf, written } from "../../store/outcomes.ts";
import type { Reply } from "../../support/connection.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { CuttingProxy } from "./support/cutting_proxy.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { behind, brokenOf, openStore, SharedServers, SharedStores } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

const ROUNDS = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1" ? 100 : 10;

await clusterTest(
  "the server determines the outcome of a COMMIT while other servers write",
  async (cluster) => {
    await using proxy = new CuttingProxy(cluster.port);
    await using shared = await SharedStores.open(cluster, 2);
    const store = await openStore(behind(proxy, shared.location));
    const broken = brokenOf(store);
    const acknowledged: string[] = [];
    let isOver = false;
    const others = shared.stores.map(async ({ writer }, i) => {
      for (let n = 0; !isOver; n++) {
        const [outcome] = await writer.group([ofTypes(`other ${i}.${n}`)]);
        assert.equal(kindOf(outcome), "written", JSON.stringify(outcome));
        acknowledged.push(`other ${i}.${n}`);
      }
    });
    try {
      for (let round = 0; round < ROUNDS; round++) {
        const lastArrives = round % 2 === 0;
        // A text in the message that also has the COMMIT. A prepared statement is sent without its text, except on a
        // new connection.
        proxy.cutAt("INSERT INTO turn", { lastArrives });
        const [outcome] = await store.writer.group([ofTypes(`round ${round}`)]);
        assert.equal(kindOf(outcome), lastArrives ? "written" : "failed", JSON.stringify(outcome));
        if (lastArrives) acknowledged.push(`round ${round}`);
      }
    } finally {
      isOver = true;
      await Promise.allSettled(others);
    }
    await Promise.all(others);
    written((await store.writer.group([ofTypes("last")]))[0]);
    acknowledged.push("last");
    assert.equal(proxy.cuts, ROUNDS);
    assert.deepEqual([...broken, ...shared.broken], []);
    assert.deepEqual((await allTypesOf(store.reads)).sort(), acknowledged.sort());
    await store.close();
  },
);

await clusterTest(
  "a server that is stopped inside its write transaction blocks the others for less than 10 s",
  async (cluster) => {
    await using shared = await SharedServers.start(cluster, 3);
    const [stopped, ...others] = shared.servers;
    const { late } = await stopInsideTransaction(cluster, shared.schema, stopped);
    const stoppedAt = performance.now();
    await Promise.all(others.map(async (server, i) => {
      await inTime(async () => {
        await server.client().append({ type: "kept", payload: String(i) });
      });
    }));
    const seconds = (performance.now() - stoppedAt) / 1000;
    assert.ok(seconds < 10, `the others wrote after ${seconds} s`);
    stopped.signal("SIGCONT");
    assert.equal((await late).status, 503, "what it had not committed is undone, and it says so");
    await stopped.client().append({ type: "again", payload: "" });
    const events = await others[0]!.client().allEvents();
    assert.deepEqual(events.map(({ sequence }) => sequence), [1, 2, 3]);
    assert.deepEqual(events.map(({ type }) => type), ["kept", "kept", "again"]);
  },
);

/**
 * Stops a server when it has the write lock and does not know it yet.
 * @returns the answer to the write of this transaction
 */
async function stopInsideTransaction(
  cluster: PostgresCluster,
  schema: string,
  server: ServerProcess,
): Promise<{ readonly late: Promise<Reply> }> {
  const session = await openPrimary({ address: cluster.address(), schema }, "setup");
  await session.run([{ sql: "SET idle_in_transaction_session_timeout = 0" }, { sql: "BEGIN" }, LOCK_STORE]);
  const late = server.client().write({ events: [{ type: "late", payload: "" }] });
  const states = (): Promise<readonly Row[]> =>
    cluster.sql(
      "SELECT pid FROM pg_stat_activity WHERE application_name = 'eventstore' AND wait_event_type = 'Lock'",
    );
  await inTime(async () => assert.equal((await states()).length, 1));
  server.signal("SIGSTOP");
  await session.run([{ sql: "ROLLBACK" }]);
  await session.close();
  return { late };
}
