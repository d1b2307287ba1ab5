import assert from "node:assert/strict";
import { RESET_RIGHTS, TABLE_RIGHTS } from "../../../src/store/postgres/tables/schema.ts";
import { textIn } from "../../../src/store/postgres/protocol/cells.ts";
import { runInit } from "../../cli/run_init.ts";
import { inDirectory } from "../../support/directory.ts";
import { pageStatements } from "../../support/page_block.ts";
import { runServer, startServer } from "../../support/server_process.ts";
import type { PostgresCluster } from "./support/cluster.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { serverVariables } from "./support/shared_stores.ts";

/* Statements of docs/postgres.md, docs/several_servers.md and docs/operations.md that operators run. */

const PAGE = "postgres.md";
const GRANTS = "GRANT USAGE ON SCHEMA eventstore TO eventstore_server;";
const RESET_GRANT =
  "GRANT DELETE ON eventstore.event, eventstore.event_term, eventstore.time_block TO eventstore_server;";
const RENEW = "-- History may have gone back: the next server gives the store a new ID.";
const ACTIVE = "SELECT a.pid, a.client_addr, a.state, a.state_change";
const KEEP = "-- The database is whole: the next server takes it as it is, and keeps the store ID.";

/** The statements of a block. */
function statements(firstLine: string, page = PAGE): string[] {
  return pageStatements(page, firstLine);
}

async function createStore(cluster: PostgresCluster): Promise<void> {
  await cluster.sql(
    "CREATE ROLE eventstore_owner LOGIN",
    "CREATE ROLE eventstore_server LOGIN",
    "CREATE DATABASE shop OWNER eventstore_owner",
  );
  await inDirectory(async (directory) => {
    const env = serverVariables(cluster.url("eventstore_owner", "shop"));
    const { code, stderr } = await runInit(directory, [], { env });
    assert.equal(code, 0, stderr);
  });
  await cluster.sqlIn(cluster.address("eventstore_owner", "shop"), ...statements(GRANTS));
}

/** The rights of the server's role, by table. */
async function rights(cluster: PostgresCluster): Promise<Record<string, string[]>> {
  const rows = await cluster.sqlIn(
    cluster.address(undefined, "shop"),
    `SELECT table_name::text, privilege_type::text FROM information_schema.role_table_grants
      WHERE table_schema = 'eventstore' AND grantee = 'eventstore_server'`,
  );
  const found: Record<string, string[]> = {};
  for (const [table, right] of rows) (found[textIn(table)] ??= []).push(textIn(right));
  for (const all of Object.values(found)) all.sort();
  return found;
}

await clusterTest(
  "the GRANT statements of the page are what a server needs, and let it only add events",
  async (cluster) => {
    await createStore(cluster);
    const expected = Object.entries(TABLE_RIGHTS).map(([table, all]) => [table, all.split(", ").toSorted()]);
    assert.deepEqual(await rights(cluster), Object.fromEntries(expected));
    const env = serverVariables(cluster.url("eventstore_server", "shop"));
    {
      await using server = await startServer({ env });
      const client = server.client();
      await client.append({ type: "a", payload: "" });
      const create = { create: [{ type: "p", id: "1", payload: "" }] };
      assert.equal((await client.write({ projections: create })).status, 200);
      assert.equal((await client.request("DELETE", "/projections/p")).status, 204);
      assert.equal((await client.allEvents()).length, 1);
    }
    const asServer = cluster.address("eventstore_server", "shop");
    for (const table of ["event", "event_term", "time_block"]) {
      for (const sql of [`DELETE FROM eventstore.${table}`, `TRUNCATE eventstore.${table}`]) {
        await assert.rejects(cluster.sqlIn(asServer, sql), /permission denied/, sql);
      }
    }
    await assert.rejects(
      cluster.sqlIn(asServer, "UPDATE eventstore.event SET body = ''"),
      /permission denied/,
    );
  },
);

await clusterTest("a server in development mode asks for the right to delete events", async (cluster) => {
  await createStore(cluster);
  const env = { ...serverVariables(cluster.url("eventstore_server", "shop")), SERVICE_DEV_MODE: "true" };
  const { code, stderr } = await runServer({ env });
  assert.equal(code, 1);
  assert.match(stderr, /lacks a right: GRANT DELETE ON eventstore\.event TO eventstore_server$/m);
  await cluster.sqlIn(cluster.address("eventstore_owner", "shop"), ...statements(RESET_GRANT));
  for (const [table, right] of Object.entries(RESET_RIGHTS)) {
    assert.ok((await rights(cluster))[table]!.includes(right), table);
  }
  await using server = await startServer({ env });
  const client = server.client();
  await client.append({ type: "a", payload: "" });
  assert.equal((await client.request("POST", "/reset")).status, 204);
  assert.deepEqual(await client.allEvents(), []);
});

/** The store ID and the events. Starts a server to read them. */
async function seen(env: Record<string, string>): Promise<{ id: string; types: string[] }> {
  await using server = await startServer({ env, listenOnly: true });
  const client = server.client();
  return { id: await client.storeId(), types: (await client.allEvents()).map(({ type }) => type) };
}

await clusterTest(
  "a copy of a database gets a new store ID, and another one when its owner says that history may have gone back",
  async (cluster) => {
    await createStore(cluster);
    const env = serverVariables(cluster.url("eventstore_server", "shop"));
    {
      await using server = await startServer({ env });
      await server.client().append({ type: "a", payload: "" });
    }
    await cluster.sql("CREATE DATABASE copy TEMPLATE shop OWNER eventstore_owner");
    const original = await seen(env);
    const ofCopy = serverVariables(cluster.url("eventstore_server", "copy"));
    assert.notEqual((await seen(ofCopy)).id, original.id);
    for (const failover of ["verify", "lossless"]) {
      const before = await seen(ofCopy);
      await cluster.sqlIn(
        cluster.address("eventstore_owner", "copy"),
        ...statements(RENEW, "several_servers.md"),
      );
      const after = await seen({ ...ofCopy, SERVICE_POSTGRES_FAILOVER: failover });
      assert.notEqual(after.id, before.id, failover);
      assert.deepEqual(after.types, ["a"], "the events stay");
    }
    assert.deepEqual(await seen(env), original);
  },
);

await clusterTest(
  "a database on another timeline gets a new store ID, unless its owner says that it is whole",
  async (cluster) => {
    await createStore(cluster);
    const env = serverVariables(cluster.url("eventstore_server", "shop"));
    const before = await seen(env);
    const owner = cluster.address("eventstore_owner", "shop");
    const elsewhere = "UPDATE eventstore.store SET timeline = '1/00000001/' || split_part(timeline, '/', 4)";
    await cluster.sqlIn(owner, elsewhere, ...statements(KEEP, "several_servers.md"));
    assert.equal((await seen(env)).id, before.id);
    for (const failover of ["verify", "lossless"]) {
      const { id } = await seen(env);
      await cluster.sqlIn(owner, elsewhere);
      assert.notEqual((await seen({ ...env, SERVICE_POSTGRES_FAILOVER: failover })).id, id, failover);
    }
  },
);

await clusterTest("the connection of the active server is found as operations.md says", async (cluster) => {
  await createStore(cluster);
  const asServer = cluster.address("eventstore_server", "shop");
  const [ask] = statements(ACTIVE, "operations.md");
  assert.deepEqual(await cluster.sqlIn(asServer, ask!), []);
  const env = { ...serverVariables(cluster.url("eventstore_server", "shop")), SERVICE_EDITION: "B" };
  await using server = await startServer({ env });
  assert.equal((await server.client().request("GET", "/health")).status, 200);
  assert.equal((await cluster.sqlIn(asServer, ask!)).length, 1);
});
