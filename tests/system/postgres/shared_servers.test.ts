import assert from "node:assert/strict";
import { faultsOfOrder } from "../../../audit/order/check_order.ts";
import { recordHistory } from "../../../audit/order/record_history.ts";
import { Random } from "../../../audit/workload/random.ts";
import { enrolTogether } from "../../client/enrolments.ts";
import { storeOf } from "../../client/support.ts";
import { expectStatus } from "../../support/replies.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import { clusterTest } from "./support/postgres_test.ts";
import { SharedServers } from "./support/shared_stores.ts";
import { inTime } from "./support/in_time.ts";

const IS_LONG = Deno.env.get("EVENTSTORE_LONG_TESTS") === "1";
const RACES = IS_LONG ? 50 : 6;
const RACERS = 64;
const HISTORIES = IS_LONG ? 50 : 2;
const SEED = 16;
const DECISION_SECONDS = IS_LONG ? 30 : 3;
const DECIDING_CLIENTS = 18;

/** Seats in each course. On a quick machine some courses become full. */
const SEATS = 40 * DECISION_SECONDS;

const DEV_MODE = { SERVICE_DEV_MODE: "true", SERVICE_MAX_QUEUED_WRITES: "1000" };

await clusterTest(
  "of several racing writes over three servers with one condition, one wins",
  async (cluster) => {
    await using shared = await SharedServers.start(cluster, 3);
    const clients = Array.from({ length: RACERS }, (_, i) => shared.servers[i % 3]!.client());
    for (let race = 0; race < RACES; race++) {
      const identifiers = { race: String(race) };
      const query = [{ identifiers: [{ name: "race", value: String(race) }] }];
      const replies = await Promise.all(clients.map((client, i) =>
        client.write({
          conditions: [{ failIfEventsMatch: query }],
          events: [{ type: "Won", identifiers, payload: String(i) }],
        })
      ));
      const statuses = replies.map(({ status }) => status).sort();
      assert.deepEqual(statuses, [200, ...Array.from({ length: RACERS - 1 }, () => 409)]);
    }
    const events = await clients[0]!.allEvents();
    assert.deepEqual(
      events.map(({ sequence, identifiers }) => [sequence, identifiers["race"]]),
      Array.from({ length: RACES }, (_, race) => [race + 1, String(race)]),
      "the sequences have no gap",
    );
  },
);

await clusterTest("one order explains every answer of three servers", async (cluster) => {
  await using shared = await SharedServers.start(cluster, 3, DEV_MODE);
  const random = new Random(SEED);
  for (let i = 0; i < HISTORIES; i++) {
    const history = await recordHistory("A", shared.servers, random.fork());
    assert.deepEqual(faultsOfOrder(history), [], `seed ${SEED}, history ${i}`);
    const outcomes = new Set(history.calls.map((call) => call.kind === "write" ? call.outcome.kind : "read"));
    assert.deepEqual([...outcomes].sort(), ["accepted", "conflict", "read"]);
    // The next history begins on other servers than the one that gets the reset.
    await shared.servers[i % 3]!.client().reset();
  }
});

await clusterTest("a read that waits on one server ends with the write on another one", async (cluster) => {
  await using shared = await SharedServers.start(cluster, 3);
  await assertReadsEnd(shared);
});

await clusterTest(
  "a read that waits also ends with that write when no notification arrives",
  async (cluster) => {
    await cluster.sql(
      "CREATE ROLE silent LOGIN",
      "GRANT CREATE ON DATABASE postgres TO silent",
      "REVOKE EXECUTE ON FUNCTION pg_notify(text, text) FROM PUBLIC",
    );
    const rejected = cluster.sqlIn(cluster.address("silent"), "SELECT pg_notify('a', 'b')");
    await assert.rejects(rejected, /permission denied for function pg_notify/);
    await using shared = await SharedServers.start(cluster, 3, {
      SERVICE_POSTGRES_URL: cluster.url("silent"),
    });
    await assertReadsEnd(shared);
  },
);

/**
 * Asserts that reads which wait for events get them from any server that writes, and that all servers learn the head.
 */
async function assertReadsEnd(shared: SharedServers): Promise<void> {
  const [writer, ...others] = shared.servers.map((server) => server.client());
  const query = [{ types: ["awaited"] }];
  for (let round = 0; round < 3; round++) {
    const { sequence: last = 0 } = (await writer!.allEvents()).at(-1) ?? {};
    const reads = await Promise.all(
      others.map((client) => WaitingRead.begin(client, query, { afterSequence: last })),
    );
    await writer!.append({ type: "other", payload: "" });
    await writer!.append({ type: "awaited", payload: "" });
    for (const read of reads) {
      const { events } = await read.page;
      assert.deepEqual(events.map(({ sequence }) => sequence), [last + 2]);
    }
  }
  for (const client of others) {
    await inTime(async () => {
      const { text } = await client.request("GET", "/metrics");
      assert.match(text, /^service_last_sequence 6$/m);
    });
  }
}

await clusterTest("a reset on one server is one on all of them", async (cluster) => {
  await using shared = await SharedServers.start(cluster, 3, DEV_MODE);
  const [first, ...others] = shared.servers.map((server) => server.client());
  for (const client of [first!, ...others]) await client.append({ type: "old", payload: "" });
  const before = await first!.storeId();
  const reads = await Promise.all(
    others.map((client) => WaitingRead.begin(client, "*", { afterSequence: 3 })),
  );
  await first!.reset();
  const after = await first!.storeId();
  assert.notEqual(after, before);
  for (const read of reads) {
    const page = await read.page;
    assert.deepEqual([page.events, page.store], [[], after], "the page is one of the new store");
  }
  for (const [i, client] of others.entries()) {
    assert.equal(await client.storeId(), after);
    const stale = await client.write({
      conditions: [{ failIfEventsMatch: "*", afterSequence: 3, store: before }],
      events: [{ type: "lost", payload: "" }],
    });
    expectStatus(stale, 409);
    await client.append({ type: "new", payload: String(i) });
    await inTime(async () => {
      const nothing = await client.write({});
      assert.equal(nothing.headers.get("x-service-store"), after);
    });
  }
  const events = await first!.allEvents();
  assert.deepEqual(events.map(({ sequence, payload }) => [sequence, payload]), [[1, "0"], [2, "1"]]);
});

await clusterTest(`decisions over three servers for ${DECISION_SECONDS} s break no rule`, async (cluster) => {
  await using shared = await SharedServers.start(cluster, 3);
  const endsAt = performance.now() + 1000 * DECISION_SECONDS;
  const accepted = await enrolTogether({
    stores: Array.from({ length: DECIDING_CLIENTS }, (_, i) => storeOf(shared.servers[i % 3]!)),
    seats: SEATS,
    students: 4 * SEATS,
    isOver: (decisions) => decisions > 0 && performance.now() > endsAt,
  });
  assert.ok(accepted >= DECIDING_CLIENTS, `${accepted} were enrolled`);
});
