import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { startServer } from "../../support/server_process.ts";
import { failoverTest } from "./support/failover.ts";
import { serverVariables } from "./support/shared_stores.ts";

interface Line {
  readonly payload: string;
  readonly forgotten?: readonly string[];
}

async function payloads(client: Client, query?: unknown): Promise<unknown[]> {
  const { events } = await client.queryEvents(query);
  return (events as readonly Line[]).map(({ payload, forgotten }) => forgotten ?? payload);
}

function student(value: string, payload: string): object {
  return { type: "t", identifiers: { student: value }, payload };
}

await failoverTest(
  "a replica that lags never shows what was forgotten, through any server",
  async (failover) => {
    const [primary, replica] = failover.hosts;
    const env = {
      ...serverVariables(primary!.url()),
      SERVICE_POSTGRES_READ_URL: replica!.url(),
      SERVICE_SUBJECTS: "student",
      SERVICE_DEV_MODE: "true",
    };
    await using first = await startServer({ env });
    await using second = await startServer({ env });
    const clients = [new Client(first.address), new Client(second.address)] as const;
    await clients[0].append(student("s1", "secret"), student("s2", "other"), { type: "t", payload: "plain" });
    await failover.caughtUp(1, 3);
    await replica!.sql("SELECT pg_wal_replay_pause()");
    for (const client of clients) assert.deepEqual(await payloads(client), ["secret", "other", "plain"]);

    const identifier = { name: "student", value: "s1" };
    assert.equal((await clients[1].request("POST", "/forget", { json: { identifier } })).status, 200);
    await clients[1].append(student("s1", "later"));
    const [row] = await replica!.sql("SELECT count(*)::text FROM eventstore.subject_key");
    assert.equal(new TextDecoder().decode(row![0] as Uint8Array), "2", "the replica still has the key");
    for (const client of clients) {
      assert.deepEqual(await payloads(client), [["student"], "other", "plain"], "from the replica");
      assert.deepEqual(await payloads(client, [{ identifiers: [identifier] }]), [["student"]]);
      const stored = await client.request("QUERY", "/events/stored", { json: {} });
      assert.equal(stored.headers.get("x-service-head"), "3", "also from the replica");
      assert.match(stored.text, /"payload":"","sealed":.+\n.+"payload":"","sealed":.+\n.+"payload":"plain"/);
      const { events } = await client.queryEvents("*", { headAtLeast: 4 });
      assert.deepEqual((events as readonly Line[]).map(({ payload }) => payload), [
        "",
        "other",
        "plain",
        "later",
      ]);
    }
    await clients[0].reset();
    for (const client of clients) {
      await client.append(student("s2", "new"));
      assert.deepEqual((await payloads(client)).at(-1), "new");
      assert.doesNotMatch(JSON.stringify(await payloads(client)), /secret|other|student/);
    }
    await replica!.sql("SELECT pg_wal_replay_resume()");
    await failover.caughtUp(1, 2);
    assert.deepEqual(await payloads(clients[0]), ["new", "new"]);
  },
);
