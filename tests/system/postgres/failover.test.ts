import assert from "node:assert/strict";
import { append as appendInTx } from "../../editions/b_tx/client.ts";
import { append as appendWithTicket } from "../../editions/c_ticket/client.ts";
import type { Client } from "../../support/client.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import { appendedAgain, failoverTest } from "./support/failover.ts";
import { inTime } from "./support/in_time.ts";

async function append(client: Client, ...types: readonly string[]): Promise<void> {
  for (const type of types) await client.append({ type, payload: "" });
}

/** The history as clients see it. */
async function seen(client: Client): Promise<{ store: string; head: number; types: string[] }> {
  const { store, reply, events } = await client.queryEvents();
  return {
    store: store!,
    head: Number(reply.headers.get("x-service-head")),
    types: events.map(({ type }) => type),
  };
}

/** The answer to a write on the condition that there is no event after a position. */
async function decided(client: Client, store: string, afterSequence: number): Promise<number> {
  const { status } = await client.write({
    conditions: [{ failIfEventsMatch: "*", afterSequence, store }],
    events: [{ type: "decided", payload: "" }],
  });
  return status;
}

await failoverTest(
  "with any order of hosts in the URL, servers read the primary and not a replica that lags",
  async (failover) => {
    const [primary, replica] = failover.hosts;
    for (const target of [undefined, "any", "read-write", "primary", "standby", "prefer-standby"]) {
      await replica!.sql("SELECT pg_wal_replay_resume()");
      const client = await failover.serve({ SERVICE_POSTGRES_URL: failover.url([1, 0], target) });
      const { head } = await seen(client);
      await failover.caughtUp(1, head);
      await replica!.sql("SELECT pg_wal_replay_pause()");
      await append(client, "late");
      const pages = await Promise.all(Array.from({ length: 20 }, () => seen(client)));
      for (const page of pages) assert.equal(page.head, head + 1, `with target_session_attrs ${target}`);
      await failover.servers.pop()!.stop();
    }
    const client = await failover.serve();
    assert.equal((await client.request("GET", "/health")).status, 200);
    await primary!.end("SIGKILL");
    await inTime(async () => {
      assert.equal((await client.request("GET", "/health")).status, 503, "a replica is not the store");
    });
  },
);

await failoverTest(
  "a failover that loses nothing is invisible to clients, with one server or two",
  async (failover) => {
    const [first, second] = [await failover.serve(), await failover.serve()];
    await append(first, "a");
    await append(second, "b");
    const before = await seen(first);
    await failover.caughtUp(1, 2);
    await failover.promote(1);
    await appendedAgain(first, "c");
    for (const client of [first, second]) {
      await inTime(async () => {
        const { store, types } = await seen(client);
        assert.equal(store, before.store);
        assert.deepEqual(types.slice(0, 3), ["a", "b", "c"]);
      });
    }
  },
);

await failoverTest(
  "when history goes back, the store gets a new ID, which every server reports",
  async (failover) => {
    const [writer, reader] = [await failover.serve(), await failover.serve()];
    await append(writer, "a", "b");
    await failover.caughtUp(1, 2);
    await failover.stall(1);
    await append(writer, "lost", "lost");
    const before = await seen(reader);
    assert.equal(before.head, 4);
    using waiting = await WaitingRead.begin(reader, "*", { afterSequence: 4 });
    await failover.promote(1);
    const page = await waiting.page;
    assert.notEqual(page.store, before.store, "who waits is told");
    assert.deepEqual(page.events, []);
    for (const client of [writer, reader]) {
      await inTime(async () => {
        const now = await seen(client);
        assert.notEqual(now.store, before.store);
        assert.deepEqual([now.head, now.types], [2, ["a", "b"]]);
      });
      for (const after of [2, 3, 4]) assert.equal(await decided(client, before.store, after), 409);
    }
    await append(reader, "c", "d", "e");
    assert.equal(
      await decided(writer, before.store, 4),
      409,
      "nor later, when it seems to be within the history",
    );
    const { store } = await seen(reader);
    assert.equal(await decided(writer, store, 6), 409, "a position that this history has not reached");
    assert.equal(await decided(writer, store, 5), 200);
    assert.match(
      failover.servers.map(({ stderr, stdout }) => stdout + stderr).join(),
      /goes on as [0-9a-f-]{36}/,
    );
  },
);

await failoverTest("a server that was not there finds that history may have gone back", async (failover) => {
  const client = await failover.serve();
  await append(client, "a");
  await failover.caughtUp(1, 1);
  const before = await seen(client);
  await failover.stall(1);
  await append(client, "lost");
  await failover.servers[0]!.kill();
  await failover.promote(1);
  const again = await failover.serve();
  const now = await seen(again);
  assert.notEqual(now.store, before.store);
  assert.deepEqual(now.types, ["a"]);
  assert.equal(await decided(again, before.store, 1), 409);
});

await failoverTest(
  "with lossless failovers, a server that was not there takes the history as it is",
  async (failover) => {
    const lossless = { SERVICE_POSTGRES_FAILOVER: "lossless" };
    const client = await failover.serve(lossless);
    await append(client, "a");
    const before = await seen(client);
    await failover.caughtUp(1, 1);
    await failover.servers[0]!.kill();
    await failover.promote(1);
    const again = await failover.serve(lossless);
    assert.deepEqual(await seen(again), before);
    assert.equal(await decided(again, before.store, 1), 200);
  },
);

await failoverTest(
  "a primary that was replaced is not read or written any more, though it lives",
  async (failover) => {
    const [old, promoted] = failover.hosts;
    const client = await failover.serve({ SERVICE_POSTGRES_URL: failover.url([0, 1]) });
    await append(client, "a");
    await failover.caughtUp(1, 1);
    // The server loses its connections to the old primary, which comes back as if nothing had happened.
    await old!.end("SIGKILL");
    await promoted!.sql("SELECT pg_promote()");
    await appendedAgain(client, "b");
    const { store, head } = await seen(client);
    await old!.run();
    await promoted!.sql(
      "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'eventstore'",
    );
    await appendedAgain(client, "c");
    const now = await seen(client);
    assert.deepEqual([now.store, now.head > head], [store, true]);
    assert.equal(now.types.at(-1), "c");
  },
);

await failoverTest(
  "a server that starts takes the latest primary, whichever is named first",
  async (failover) => {
    const [old, promoted] = failover.hosts;
    const client = await failover.serve();
    await append(client, "a");
    await failover.caughtUp(1, 1);
    await failover.promote(1);
    await appendedAgain(client, "b");
    const { store, types } = await seen(client);
    await old!.run();
    for (const order of [[0, 1], [1, 0]]) {
      const started = await failover.serve({ SERVICE_POSTGRES_URL: failover.url(order) });
      const now = await seen(started);
      assert.deepEqual([now.store, now.types], [store, types]);
    }
    await promoted!.end("SIGKILL");
    await assert.rejects(append(client, "lost"), "the old primary is not taken for the new one");
  },
);

await failoverTest("replicas that still follow the old primary are never read again", async (failover) => {
  const [old, promoted] = failover.hosts;
  const readUrl = failover.url([0], "any");
  const client = await failover.serve({ SERVICE_POSTGRES_READ_URL: readUrl });
  await append(client, "a", "b");
  await failover.caughtUp(1, 2);
  assert.deepEqual((await seen(client)).types, ["a", "b"]);
  await old!.end("SIGKILL");
  await promoted!.sql("SELECT pg_promote()");
  await appendedAgain(client, "c");
  await old!.run();
  for (let i = 0; i < 50; i++) assert.equal((await seen(client)).types.at(-1), "c");
});

await failoverTest("edition B: a transaction on a history that went back is a conflict", async (failover) => {
  const client = await failover.serve({ SERVICE_EDITION: "B" });
  await appendInTx(client, { type: "a", payload: "" });
  await failover.caughtUp(1, 1);
  await failover.stall(1);
  await appendInTx(client, { type: "lost", payload: "" });
  const before = (await client.queryEvents("all")).store;
  const { txId } = (await client.request("POST", "/tx")).json<{ txId: string }>();
  const read = { json: { query: [{ types: ["never"] }] } };
  assert.equal((await client.request("QUERY", `/tx/${txId}/events`, read)).status, 200);
  const events = { json: { events: [{ type: "decided", payload: "" }] } };
  assert.equal((await client.request("POST", `/tx/${txId}/events`, events)).status, 200);
  await failover.promote(1);
  await inTime(async () => {
    const page = await client.queryEvents("all");
    assert.notEqual(page.store, before);
    assert.deepEqual(page.events.map(({ type }) => type), ["a"]);
  });
  // In the place of the lost events.
  await appendInTx(client, { type: "never", payload: "" });
  assert.equal((await client.request("POST", `/tx/${txId}/commit`)).status, 409);
  await appendInTx(client, { type: "b", payload: "" });
});

await failoverTest("edition C: an append at a lost position is a conflict", async (failover) => {
  const client = await failover.serve({ SERVICE_EDITION: "C" });
  await appendWithTicket(client, { type: "a", payload: "" });
  await failover.caughtUp(1, 1);
  await failover.stall(1);
  await appendWithTicket(client, { type: "lost", payload: "" });
  const before = (await client.queryEvents()).store;
  await failover.promote(1);
  await inTime(async () => {
    const page = await client.queryEvents();
    assert.notEqual(page.store, before);
    assert.deepEqual(page.events.map(({ type }) => type), ["a"]);
  });
  const headers = {
    "x-service-ticket": (await client.request("POST", "/begin")).json<{ ticket: string }>().ticket,
  };
  const json = {
    events: [{ type: "decided", payload: "" }],
    condition: { failIfEventsMatch: [{ types: ["never"] }], afterSequence: 2 },
  };
  assert.equal((await client.request("POST", "/events", { headers, json })).status, 409);
  await appendWithTicket(client, { type: "b", payload: "" });
});
