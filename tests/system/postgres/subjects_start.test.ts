import assert from "node:assert/strict";
import { SEALING_RESET_RIGHTS, SEALING_RIGHTS } from "../../../src/store/postgres/tables/schema.ts";
import { runInit } from "../../cli/run_init.ts";
import { Client } from "../../support/client.ts";
import { inDirectory } from "../../support/directory.ts";
import { runServer, startServer } from "../../support/server_process.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { serverVariables } from "./support/shared_stores.ts";

const SUBJECTS = { SERVICE_SUBJECTS: "student" };

/** Asserts that a server does not start, and says why in one line. */
async function assertRejected(env: Record<string, string>, why: RegExp): Promise<void> {
  const { code, stderr } = await runServer({ env });
  assert.equal(code, 1, stderr);
  assert.match(stderr, /^eventstore-server: the store in schema [^\n]+\n$/, "one line");
  assert.match(stderr, why);
}

/** Asserts that a server encrypts, forgets and resets. */
async function assertWorks(env: Record<string, string>): Promise<void> {
  await using server = await startServer({ env: { ...env, SERVICE_DEV_MODE: "true" } });
  const client = new Client(server.address);
  await client.append({ type: "a", identifiers: { student: "s1" }, payload: "secret" });
  assert.equal((await client.allEvents()).at(-1)!.payload, "secret");
  const identifier = { name: "student", value: "s1" };
  const forgotten = await client.request("POST", "/forget", { json: { identifier } });
  assert.deepEqual([forgotten.status, forgotten.json()], [200, { forgotten: "now", events: [] }]);
  const event = (await client.allEvents()).at(-1);
  assert.deepEqual([event!.payload, (event as { forgotten?: unknown }).forgotten], ["", ["student"]]);
  assert.equal((await client.request("POST", "/reset")).status, 204);
  const unknown = await client.request("POST", "/forget", { json: { identifier } });
  assert.equal(unknown.status, 404);
}

await clusterTest(
  "an owner adds the tables of subjects, and the server's role needs only to use them",
  async (cluster) => {
    await cluster.sql(
      "CREATE ROLE owner LOGIN",
      "CREATE ROLE server LOGIN",
      "CREATE DATABASE shop OWNER owner",
    );
    const owner = cluster.address("owner", "shop");
    const plain = serverVariables(cluster.url("server", "shop"));
    const asServer = { ...plain, ...SUBJECTS };
    await inDirectory(async (directory) => {
      const env = serverVariables(cluster.url("owner", "shop"));
      const init = (...args: string[]): ReturnType<typeof runInit> => runInit(directory, args, { env });
      const nothing = await init("--add-subjects");
      assert.match(nothing.stderr, /^eventstore-init: the store in schema [^\n]+: there is no store\n$/);
      assert.equal((await init()).code, 0);
      const all = "GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA eventstore TO server";
      await cluster.sqlIn(owner, "GRANT USAGE ON SCHEMA eventstore TO server", all);
      const lacks =
        /it lacks the tables of subjects, and server may not create them \(permission denied for schema eventstore\); its owner can do so with eventstore-init --add-subjects$/m;
      await assertRejected(asServer, lacks);
      {
        await using server = await startServer({ env: plain });
        const running = await init("--add-subjects");
        assert.match(
          running.stderr,
          /a server of edition A works on it without subjects \(seen \d+ s ago\): stop all/,
        );
        await server.client().append({ type: "a", payload: "the store is as it was" });
        await server.stop();
      }
      for (let i = 0; i < 2; i++) {
        const added = await init("--add-subjects");
        assert.deepEqual([added.code, added.stderr], [0, ""]);
        assert.match(
          added.stdout,
          /^schema eventstore of database shop at [^\n]+: the tables of subjects are there\n$/,
        );
      }
      await assertRejected(
        asServer,
        /server lacks a right: GRANT SELECT, INSERT, UPDATE ON eventstore\.subject TO server$/m,
      );
      await cluster.sqlIn(owner, all);
      await assertWorks(asServer);
    });
    const cases = [...Object.entries(SEALING_RIGHTS), ...Object.entries(SEALING_RESET_RIGHTS)];
    for (const [table, rights] of cases) {
      for (const right of rights.split(", ")) {
        await cluster.sqlIn(owner, `REVOKE ${right} ON eventstore.${table} FROM server`);
        const lacks = `server lacks a right: GRANT ${rights} ON eventstore\\.${table} TO server$`;
        await assertRejected({ ...asServer, SERVICE_DEV_MODE: "true" }, new RegExp(lacks, "m"));
        await cluster.sqlIn(owner, `GRANT ${right} ON eventstore.${table} TO server`);
      }
    }
    await assertRejected(plain, /it holds encrypted payloads, but the setting subjects names no identifiers/);
  },
);

await clusterTest("the first server with subjects needs all others to be stopped", async (cluster) => {
  const plain = serverVariables(cluster.url());
  const env = { ...plain, ...SUBJECTS };
  {
    await using before = await startServer({ env: plain });
    const why =
      /a server of edition A works on it without subjects \(seen \d+ s ago\): stop all servers before the first start/;
    await assertRejected(env, why);
    await before.client().append({ type: "a", payload: "readable" });
    await before.stop();
  }
  const [first, second] = await Promise.all([startServer({ env }), startServer({ env })]);
  await using _first = first;
  await using _second = second;
  await first.client().append({ type: "b", identifiers: { student: "s" }, payload: "encrypted" });
  assert.deepEqual((await second.client().allEvents()).map(({ payload }) => payload), [
    "readable",
    "encrypted",
  ]);
});

await clusterTest(
  "a server without subjects ends when another program adds them meanwhile",
  async (cluster) => {
    await using server = await startServer({ env: serverVariables(cluster.url()) });
    const client = server.client();
    await client.append({ type: "a", payload: "" });
    // As a program would that does not look for servers, or that missed one which was just starting.
    await cluster.sql("UPDATE eventstore.store SET schema_version = 3");
    const write = await client.write({ events: [{ type: "b", payload: "" }] }).catch(() => undefined);
    assert.notEqual(write?.status, 200);
    const { code } = await server.ended();
    assert.equal(code, 1);
    assert.match(server.stderr, /it holds encrypted payloads, but the setting subjects names no identifiers/);
  },
);
