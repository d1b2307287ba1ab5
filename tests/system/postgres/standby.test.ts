import assert from "node:assert/strict";
import * as b from "../../editions/b_tx/client.ts";
import * as c from "../../editions/c_ticket/client.ts";
import { Client, parsePage } from "../../support/client.ts";
import { metrics } from "../../support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { becomesActive, healthOf, Pair, type PairEdition, standsBy } from "./support/pair.ts";
import { endSessions } from "./support/end_sessions.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { inTime } from "./support/in_time.ts";

const EDITIONS: readonly PairEdition[] = ["B", "C"];

/** Requests of every kind, and one for a path that does not exist. */
const REQUESTS: readonly (readonly [method: string, path: string])[] = [
  ["GET", "/health"],
  ["QUERY", "/events"],
  ["GET", "/projections/t/1"],
  ["POST", "/projections"],
  ["DELETE", "/projections"],
  ["POST", "/pause"],
  ["POST", "/resume"],
  ["GET", "/debug"],
];

async function activity(pair: Pair): Promise<number[]> {
  return await Promise.all(pair.servers.map(async (server) => {
    const samples = await metrics(server.client());
    const [, value] = [...samples].find(([name]) => name.startsWith("service_active{store="))!;
    return value;
  }));
}

for (const edition of EDITIONS) {
  await clusterTest(
    `edition ${edition}: one server is active, the other rejects everything, and takes over when that stops`,
    async (cluster) => {
      await using pair = await Pair.start(cluster, edition);
      assert.equal(await healthOf(pair.active.client()), "ok");
      for (const [method, path] of REQUESTS) {
        const reply = await pair.standby.client().request(method, path);
        assertRejected(reply, 503, "Standby", /another server is active/);
      }
      const undocumented = new Client(pair.standby.address);
      assertRejected(await undocumented.request("PUT", "/unknown"), 503, "Standby", /another/);
      assert.deepEqual(await activity(pair), [1, 0]);
      const { append } = edition === "B" ? b : c;
      await append(pair.active.client(), b.event("t", "first"));
      const first = pair.active;
      await Promise.all([first.stop(), pair.tookOver()]);
      await append(pair.active.client(), b.event("t", "second"));
      const { events } = await pair.active.client().queryEvents(edition === "B" ? "all" : "*");
      const found = events.map(({ sequence, payload }) => `${sequence} ${payload}`);
      assert.deepEqual(found, ["1 first", "2 second"]);
      await first.start();
      assert.deepEqual(await activity(pair), [1, 0]);
      assert.match(first.stdout, /, standing by while another server is active, store /);
    },
  );

  await clusterTest(
    `edition ${edition}: a pause holds over a takeover, and one that was ended does not come back`,
    async (cluster) => {
      await using pair = await Pair.start(cluster, edition);
      const isPaused = async (): Promise<boolean> =>
        (await pair.active.client().request("GET", "/health")).json<{ paused: boolean }>().paused;
      const takeOver = async (): Promise<void> => {
        const old = pair.active;
        await old.kill();
        await pair.tookOver();
        await old.start();
      };
      expectStatus(await pair.active.client().request("POST", "/pause"), edition === "B" ? 200 : 204);
      await takeOver();
      assert.equal(await isPaused(), true);
      assertNoContent(await pair.active.client().request("POST", "/resume"));
      await takeOver();
      assert.equal(await isPaused(), false);
    },
  );

  await clusterTest(
    `edition ${edition}: a server whose session is ended continues, or the other one does`,
    async (cluster) => {
      await using pair = await Pair.start(cluster, edition);
      const { append } = edition === "B" ? b : c;
      for (let round = 0; round < 3; round++) {
        await endSessions(cluster);
        await inTime(async () => {
          await pair.settled();
          await append(pair.active.client(), b.event("t", String(round)));
        });
      }
    },
  );
}

await clusterTest(
  "a transaction of edition B that was open at a takeover is unknown to the next server",
  async (cluster) => {
    await using pair = await Pair.start(cluster, "B");
    const tx = await b.begin(pair.active.client());
    await tx.decide("none", b.event("t", "undone"));
    const old = pair.active;
    await old.stop();
    await pair.tookOver();
    const late = await new b.Tx(pair.active.client(), tx.id).commit();
    assertRejected(late, 404, "TransactionNotFound");
    assert.deepEqual((await pair.active.client().queryEvents("all")).events, []);
  },
);

await clusterTest(
  "a server that froze inside a write transaction is replaced within 10 s, and stands by when it wakes up",
  async (cluster) => {
    await using pair = await Pair.start(cluster, "C", {
      SERVICE_TRANSACTION_TIMEOUT: "300",
      SERVICE_MAX_TRANSACTION_DURATION: "300",
    });
    const frozen = pair.active;
    const transaction = await c.begin(frozen.client());
    expectStatus(await transaction.append([c.event("t", "undone")]), 200);
    frozen.signal("SIGSTOP");
    const frozenAt = performance.now();
    await pair.tookOver();
    await c.append(pair.active.client(), c.event("t", "kept"));
    const seconds = (performance.now() - frozenAt) / 1000;
    assert.ok(seconds < 10, `the other one wrote after ${seconds} s`);
    frozen.signal("SIGCONT");
    const late = await transaction.commit().catch(() => undefined);
    assert.notEqual(late?.status, 204);
    await standsBy(frozen);
    await frozen.waitForOutput((text) => /standing by: another server has taken over the store\n/.test(text));
    const payloads = (await pair.active.client().allEvents()).map(({ payload }) => payload);
    assert.deepEqual(payloads, ["kept"]);
    await pair.active.stop();
    await becomesActive(frozen);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
    await c.append(frozen.client(), c.event("t", "again"));
  },
);

await clusterTest(
  "a read that waits at a server that stops ends with an empty page, and continues at the next one",
  async (cluster) => {
    await using pair = await Pair.start(cluster, "C");
    const wait = async (client: Client): Promise<string[]> => {
      const json = { query: "*", waitSeconds: 60 };
      const page = parsePage(await client.request("QUERY", "/events", { json }));
      assert.equal(page.hasMore, false);
      return page.events.map(({ payload }) => payload);
    };
    const waits = async (client: Client): Promise<void> =>
      await inTime(
        async () => assert.equal((await metrics(client)).get("service_reads_waiting"), 1),
      );
    const [first, second] = [pair.active.client(), pair.standby.client()];
    const waiting = wait(first);
    await waits(first);
    await pair.active.stop();
    assert.deepEqual(await waiting, []);
    await pair.tookOver();
    const goingOn = wait(second);
    await waits(second);
    await c.append(second, c.event("t", "arrived"));
    assert.deepEqual(await goingOn, ["arrived"]);
  },
);

await clusterTest("without its database, a server that stands by says that", async (cluster) => {
  await using pair = await Pair.start(cluster, "B");
  await cluster.end("SIGINT");
  await inTime(async () => {
    assert.equal(await healthOf(pair.standby.client()), "Unavailable");
  });
  await cluster.run();
  await pair.settled();
});
