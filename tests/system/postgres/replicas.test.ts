import assert from "node:assert/strict";
import { fetchTransport } from "../../../client/transport/fetch_transport.ts";
import { FaultyTransport } from "../../client/faulty_transport.ts";
import { note, placeOf, storeOf, storeOver } from "../../client/support.ts";
import { startServer } from "../../support/server_process.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import { numberIn } from "../../../src/store/postgres/protocol/cells.ts";
import { appendedAgain, type Failover, failoverTest } from "./support/failover.ts";
import { serverVariables } from "./support/shared_stores.ts";
import { inTime, TIMEOUT_SECONDS } from "./support/in_time.ts";

/** The variables of a server that reads the replica. */
function readingReplica({ hosts: [primary, replica] }: Failover): Record<string, string> {
  return { ...serverVariables(primary!.url()), SERVICE_POSTGRES_READ_URL: replica!.url() };
}

await failoverTest(
  "pages come from a replica that lags, without making any decision wrong",
  async (failover) => {
    const [, replica] = failover.hosts;
    const env = { ...readingReplica(failover), SERVICE_DEV_MODE: "true" };
    await using server = await startServer({ env });
    const client = server.client();
    for (const type of ["a", "b", "c"]) await client.append({ type, payload: "" });
    await failover.caughtUp(1, 3);
    await replica!.sql("SELECT pg_wal_replay_pause()");
    await client.append({ type: "late", payload: "" });

    const page = await client.queryEvents();
    assert.deepEqual(page.events.map(({ type }) => type), ["a", "b", "c"], "the replica has no more");
    assert.equal(page.reply.headers.get("x-service-head"), "3");
    const [newest] = (await client.queryEvents("*", { backwards: true, limit: 1 })).events;
    assert.equal(newest!.sequence, 3);
    for (const [headAtLeast, head] of [[3, "3"], [4, "4"], [9, "4"]] as const) {
      const { reply, events } = await client.queryEvents("*", { headAtLeast });
      assert.equal(reply.headers.get("x-service-head"), head, "a replica that is behind is not read");
      assert.equal(events.length, Number(head));
    }
    // A client that decides on that page names its head, and the primary checks the events after it.
    const decided = await client.write({
      events: [{ type: "decided", payload: "" }],
      conditions: [{ failIfEventsMatch: [{ types: ["late"] }], afterSequence: 3, store: page.store }],
    });
    assert.equal(decided.status, 409);

    const types = async (query: unknown, afterSequence = 0): Promise<string[]> =>
      (await client.queryEvents(query, { afterSequence })).events.map(({ type }) => type);
    assert.deepEqual(await types("*", 3), ["late"], "what the replica has not, the primary is asked for");
    assert.deepEqual(await types([{ types: ["late"] }]), ["late"], "nothing is never said of what is there");
    using waiting = await WaitingRead.begin(client, [{ types: ["awaited"] }]);
    await client.append({ type: "awaited", payload: "" });
    assert.deepEqual((await waiting.page).events.map(({ sequence }) => sequence), [5]);

    await client.reset();
    assert.deepEqual(await types("*"), [], "the old store is gone at once");
    await client.append({ type: "new", payload: "" });
    assert.deepEqual(await types("*"), ["new"]);
    await replica!.sql("SELECT pg_wal_replay_resume()");
    await failover.caughtUp(1, 1);
    assert.deepEqual(await types("*"), ["new"]);
  },
);

await failoverTest(
  "while the replica is down, the primary is read, and then the replica again",
  async (failover) => {
    const [, replica] = failover.hosts;
    await using server = await startServer({ env: readingReplica(failover) });
    const client = server.client();
    const said = (text: RegExp): Promise<void> =>
      server.waitForOutput(() => text.test(server.stdout + server.stderr), TIMEOUT_SECONDS);
    await client.append({ type: "a", payload: "" });
    await failover.caughtUp(1, 1);
    const isRead = async (): Promise<boolean> => {
      const [row] = await replica!.sql(
        "SELECT count(*) FROM pg_stat_activity WHERE application_name = 'eventstore' AND pid <> pg_backend_pid()",
      );
      return numberIn(row![0]) > 0;
    };
    assert.equal((await client.allEvents()).length, 1);
    assert.ok(await isRead());
    await replica!.end("SIGKILL");
    for (let i = 0; i < 20; i++) assert.equal((await client.allEvents()).length, 1);
    await client.append({ type: "b", payload: "" });
    assert.equal((await client.allEvents()).length, 2);
    await said(/ no replica can be read, and all is read from the primary: ./);
    await replica!.run();
    await failover.caughtUp(1, 2);
    await inTime(async () => {
      assert.equal((await client.allEvents()).length, 2);
      assert.ok(await isRead());
    });
    await said(/ replicas are read again$/m);
  },
);

await failoverTest(
  "a server finds the primary among several hosts, also after it has changed",
  async (failover) => {
    const client = await failover.serve({
      SERVICE_POSTGRES_URL: failover.url([1, 0], "read-write"),
      SERVICE_POSTGRES_READ_URL: failover.url([0, 1], "prefer-standby"),
    });
    await client.append({ type: "before", payload: "" });
    await failover.caughtUp(1, 1);
    await failover.promote(1);
    await appendedAgain(client, "after");
    const types = (await client.allEvents()).map(({ type }) => type);
    assert.equal(types[0], "before");
    assert.ok(types.includes("after"));
  },
);

await failoverTest(
  "through two servers and a replica that lags, the client finds what it has written",
  async (failover) => {
    const [, replica] = failover.hosts;
    const env = readingReplica(failover);
    await using first = await startServer({ listen: "tcp", env });
    await using second = await startServer({ listen: "tcp", env });
    const ways = [first, second].map(({ address }) => fetchTransport(placeOf(address).url));
    let requests = 0;
    const transport = new FaultyTransport({ send: (request) => ways[requests++ % 2]!.send(request) });
    const store = storeOver(transport);
    await store.append(note("0"));
    await failover.caughtUp(1, 1);
    await replica!.sql("SELECT pg_wal_replay_pause()");
    let writes = 0;
    const isFirstWrite = (path: string): boolean => path === "/write" && ++writes === 1;
    const count = { query: { types: ["Noted" as const] }, initial: 0, apply: (count: number) => count + 1 };

    transport.fault = ({ path }) => isFirstWrite(path) ? "answer lost" : "none";
    const decided = await store.decide(count, (count) => note(String(count)), { attempts: 2 });
    assert.deepEqual(decided.events.map(({ sequence }) => sequence), [2]);
    writes = 0;
    const once = await store.writeOnce("k", note("2"), {
      conditions: { query: { identifiers: { x: "1" } } },
    });
    assert.deepEqual([once.events[0]!.sequence, once.repeated], [3, true]);

    transport.fault = () => "none";
    const seen: number[] = [];
    await store.decide(count, async (count) => {
      // An event of another writer that the replica does not show.
      if (seen.push(count) === 1) await storeOf(second).append(note("faster"));
      return note("last");
    }, { attempts: 3 });
    assert.equal(seen.at(-1), 4);
    const again = await storeOf(first).writeOnce("k", note("2"));
    assert.deepEqual([again.events[0]!.sequence, again.repeated], [3, true]);
    assert.equal((await storeOf(first).read("*", { after: 4 })).head.sequence, 5, "nothing is there twice");
  },
);
