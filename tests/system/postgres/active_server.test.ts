import assert from "node:assert/strict";
import { openPrimary } from "../../../src/store/postgres/connection/open_session.ts";
import { openPostgres } from "../../../src/store/postgres/open_postgres.ts";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { LOCK_STORE } from "../../../src/store/postgres/tables/state.ts";
import { append } from "../../editions/b_tx/client.ts";
import { ofTypes } from "../../store/made_writes.ts";
import { DONE, written } from "../../store/outcomes.ts";
import { pause } from "../../support/eventually.ts";
import { metrics } from "../../support/metrics.ts";
import { startServer } from "../../support/server_process.ts";
import { healthOf, Pair } from "./support/pair.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { failoverTest } from "./support/failover.ts";
import { newLocation, serverVariables } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

/** "EvSt", under which earlier versions took an advisory lock. */
const LOCK_CLASS = 0x45765374;

/** Longer than a server may be silent before another one takes over. */
const SILENCE_MILLISECONDS = 9500;

/** Longer than a takeover takes. */
const LOOKS_MILLISECONDS = 10_000;

await clusterTest("a lock timeout does not end the heartbeats of the active server", async (cluster) => {
  const schema = "heartbeats";
  await using pair = await Pair.start(cluster, "B", { SERVICE_POSTGRES_SCHEMA: schema });
  const client = pair.active.client();
  await append(client, { type: "a", payload: "" });
  // With a new session, a server that lost its own may become active again before the next one notices.
  const activeSession = async (): Promise<number> => {
    const sql = `SELECT s.pid FROM ${schema}.store JOIN ${schema}.server s ON s.name = store.server`;
    const [row] = await cluster.sql(sql);
    return numberIn(row![0]);
  };
  const before = await activeSession();
  const session = await openPrimary({ address: cluster.address(), schema }, "setup");
  await session.run([{ sql: "BEGIN" }, LOCK_STORE]);
  const late = await client.request("POST", "/projections", {
    json: { create: [{ type: "p", id: "1", payload: "" }] },
  });
  assert.equal(late.status, 503, "its turn was kept waiting for too long");
  await session.run([{ sql: "ROLLBACK" }]);
  await session.close();
  await pause(SILENCE_MILLISECONDS);
  const healths = await Promise.all(pair.servers.map((server) => healthOf(server.client())));
  assert.deepEqual(healths, ["ok", "Standby"]);
  const standby = [...await metrics(pair.standby.client())];
  assert.equal(standby.find(([name]) => name.startsWith("service_activations_total{"))![1], 0);
  assert.equal(await activeSession(), before, "nobody has ended its session");
  await append(client, { type: "b", payload: "" });
});

await clusterTest(
  "a role that may only connect cannot keep a server from becoming active",
  async (cluster) => {
    await cluster.sql("CREATE ROLE stranger LOGIN");
    const stranger = await openPrimary({ address: cluster.address("stranger"), schema: "public" }, "setup");
    const schema = "guarded";
    const key = new DataView(
      await crypto.subtle.digest("SHA-256", new TextEncoder().encode(schema)),
    ).getInt32(0);
    await stranger.run([{ sql: `SELECT pg_advisory_lock(${LOCK_CLASS}, ${key})` }]);
    await using server = await startServer({
      listen: "unix",
      listenOnly: true,
      env: { ...serverVariables(cluster.url(), schema), SERVICE_EDITION: "B" },
    });
    await inTime(async () => assert.equal(await healthOf(server.client()), "ok"));
    for (const sql of [`LOCK TABLE ${schema}.store`, `SELECT FROM ${schema}.store FOR UPDATE`]) {
      await assert.rejects(stranger.run([{ sql: "BEGIN" }, { sql }]), /permission denied/);
      await stranger.run([{ sql: "ROLLBACK" }]);
    }
    await append(server.client(), { type: "a", payload: "" });
    await stranger.close();
  },
);

await failoverTest(
  "a server that stands by does not become active on a primary that was replaced",
  async (failover) => {
    const [old, promoted] = failover.hosts;
    const env = { SERVICE_EDITION: "B", SERVICE_POSTGRES_URL: failover.url([0, 1]) };
    const clients = [await failover.serve(env), await failover.serve(env)];
    await append(clients[0]!, { type: "a", payload: "" });
    await failover.caughtUp(1, 1);
    await old!.end("SIGKILL");
    await promoted!.sql("SELECT pg_promote()");
    const healths = (): Promise<string[]> => Promise.all(clients.map(healthOf));
    await inTime(
      async () => assert.deepEqual((await healths()).toSorted(), ["Standby", "ok"]),
    );
    await old!.run();
    await promoted!.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'eventstore'",
    );
    const looks = async (assertNow: (healths: string[]) => void): Promise<void> => {
      const endAt = performance.now() + LOOKS_MILLISECONDS;
      while (performance.now() < endAt) assertNow(await healths());
    };
    await looks((now) => assert.notDeepEqual(now, ["ok", "ok"]));
    // Now only the old primary answers.
    await promoted!.end("SIGKILL");
    await inTime(async () => assert.ok(!(await healths()).includes("ok")));
    await looks((now) => assert.ok(!now.includes("ok"), now.join()));
    await promoted!.run();
    await inTime(async () => assert.deepEqual((await healths()).toSorted(), ["Standby", "ok"]));
  },
);

await clusterTest(
  "a server that has taken over finishes its write transaction when it is stopped",
  async (cluster) => {
    const location = newLocation(cluster);
    const options = { readersMax: 1, edition: "B", servers: "exclusive" } as const;
    const first = await openPostgres(location, options);
    await first.store!.close();
    const standby = first.standby!;
    const store = (await standby.takeOver())!;
    assert.deepEqual(await store.writer.begin(), DONE);
    written(await store.writer.writeInside(ofTypes("a")));
    // Ending the role closes both at the same time.
    await standby.close();
    assert.deepEqual(await store.writer.commit(), DONE);
    await store.close();
  },
);
