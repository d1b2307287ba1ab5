import assert from "node:assert/strict";
import { TABLE_RIGHTS } from "../../../src/store/postgres/tables/schema.ts";
import { inDirectory } from "../../support/directory.ts";
import { runServer, startServer } from "../../support/server_process.ts";
import { runInit } from "../../cli/run_init.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { serverVariables } from "./support/shared_stores.ts";

/** Asserts that a server does not start, and says why in one line. */
async function assertRejected(env: Record<string, string>, why: RegExp): Promise<void> {
  const { code, stderr } = await runServer({ env });
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^eventstore-server: the store in schema [^\n]+\n$/, "one line");
  assert.match(stderr, why);
}

/** Asserts that a server starts, writes, resets and reads. */
async function assertWorks(env: Record<string, string>): Promise<void> {
  await using server = await startServer({ env: { ...env, SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  await client.append({ type: "a", payload: "1" });
  assert.equal((await client.request("POST", "/reset")).status, 204);
  await client.append({ type: "b", payload: "2" });
  const events = await client.allEvents();
  assert.deepEqual(events.map(({ sequence, type }) => [sequence, type]), [[1, "b"]]);
}

await clusterTest(
  "an owner creates the store, and the server's role needs only to use it",
  async (cluster) => {
    await cluster.sql(
      "CREATE ROLE owner LOGIN",
      "CREATE ROLE server LOGIN",
      "CREATE DATABASE shop OWNER owner",
    );
    const asServer = serverVariables(cluster.url("server", "shop"));
    const denied = /permission denied for database shop; its owner can create it with eventstore-init/;
    await assertRejected(asServer, denied);
    await inDirectory(async (directory) => {
      const env = serverVariables(cluster.url("owner", "shop"));
      const made = await runInit(directory, [], { env });
      assert.deepEqual([made.code, made.stderr], [0, ""]);
      const place = `schema eventstore of database shop at 127.0.0.1:${cluster.port} as owner`;
      assert.match(made.stdout, new RegExp(`^${place}\nstore [0-9a-f-]{36}\n$`));
      const again = await runInit(directory, [], { env });
      assert.equal(
        again.stderr,
        `eventstore-init: the store in ${place}: it exists already, and was left as it is\n`,
      );
      assert.equal(again.code, 1);
      assert.equal([...Deno.readDirSync(directory)].length, 0, "no data directory is made");
    });
    const owner = cluster.address("owner", "shop");
    await assertRejected(asServer, /server lacks a right: GRANT USAGE ON SCHEMA eventstore TO server$/m);
    await cluster.sqlIn(owner, "GRANT USAGE ON SCHEMA eventstore TO server");
    const lacks = /server lacks a right: GRANT SELECT, UPDATE ON eventstore\.store TO server$/m;
    await assertRejected(asServer, lacks);
    const all = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA eventstore TO server";
    await cluster.sqlIn(owner, all);
    await assertWorks(asServer);
    for (const [table, rights] of Object.entries(TABLE_RIGHTS)) {
      for (const right of rights.split(", ")) {
        await cluster.sqlIn(owner, `REVOKE ${right} ON eventstore.${table} FROM server`);
        const lacks = `server lacks a right: GRANT ${rights} ON eventstore\\.${table} TO server$`;
        await assertRejected(asServer, new RegExp(lacks, "m"));
        await cluster.sqlIn(owner, `GRANT ${right} ON eventstore.${table} TO server`);
      }
    }
    await cluster.sqlIn(owner, "UPDATE eventstore.store SET schema_version = 77");
    await assertRejected(asServer, /it has schema version 77, and this program works with version 2$/m);
  },
);

await clusterTest(
  "a server rejects a database that cannot keep its promises, and says why",
  async (cluster) => {
    await cluster.sql(
      "CREATE DATABASE ascii TEMPLATE template0 ENCODING 'SQL_ASCII'",
      "CREATE ROLE hasty LOGIN SUPERUSER",
      "ALTER ROLE hasty SET synchronous_commit = off",
    );
    const rejected = [
      [cluster.url("postgres", "ascii"), /the database has the encoding SQL_ASCII/],
      [cluster.url("hasty"), /synchronous_commit is off/],
      [cluster.url("postgres", "absent"), /database "absent" does not exist/],
      ["postgresql://u@127.0.0.1:1/d", /Connection refused/],
    ] as const;
    for (const [url, why] of rejected) await assertRejected(serverVariables(url), why);
    const secret = cluster.url().replace("postgres@", "postgres:secret@");
    const env = { ...serverVariables(secret), SERVICE_POSTGRES_READ_URL: secret };
    const { stdout } = await runServer({ env, args: ["--print-config"] });
    assert.match(stdout, /^# postgresUrl = "\*{8}" +# environment \(SERVICE_POSTGRES_URL\); masked$/m);
    assert.match(
      stdout,
      /^# postgresReadUrl = "\*{8}" +# environment \(SERVICE_POSTGRES_READ_URL\); masked$/m,
    );
    assert.doesNotMatch(stdout, /secret/);
    const without = await runServer({ env: { SERVICE_STORAGE: "postgres" } });
    assert.equal(
      without.stderr,
      "eventstore-server: SERVICE_STORAGE: storage is postgres, but postgresUrl is not set: set it or SERVICE_POSTGRES_URL\n",
    );
    await assertWorks(serverVariables(cluster.url(), "a_second_store"));
  },
);
