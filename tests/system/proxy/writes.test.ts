import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { ScriptedUpstream, sendText } from "../../support/scripted_upstream.ts";
import { startProxy } from "./proxy.ts";
import { proxiedTest, proxyTest } from "./proxy_test.ts";

const BODY_BYTES_MAX = 8 * 1024 * 1024;

const event = (payload: string): unknown => ({ type: "t", identifiers: {}, payload });

await proxyTest(
  "a request that changes something is sent once, whatever becomes of it",
  async (name, programs) => {
    using upstream = new ScriptedUpstream(async ({ head }, conn) => {
      if (!head.startsWith("GET /health ")) return false;
      await sendText(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
      return true;
    });
    await using proxy = await startProxy(name, programs, upstream.address);
    const client = new Client(proxy.address);
    const requests = [["POST", "/write"], ["POST", "/begin"], ["POST", "/commit"], [
      "DELETE",
      "/projections",
    ]];
    for (const keptConnection of [false, true]) {
      for (const [method = "", target = ""] of requests) {
        // Leaves a connection to the server that the next request goes out on.
        if (keptConnection) assert.equal((await client.request("GET", "/health")).status, 200);
        const before = upstream.requests.length;
        const options = target === "/write" ? { json: { events: [event("")] } } : {};
        const { status } = await client.request(method, target, options);
        assert.deepEqual([status, upstream.requests.length - before], [502, 1], `${method} ${target}`);
      }
    }
  },
);

await proxyTest("connections to the server are reused for the next requests", async (name, programs) => {
  using upstream = new ScriptedUpstream(async (_, conn) => {
    await sendText(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    return true;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  for (let i = 0; i < 10; i++) {
    await new Client(proxy.address).request("POST", "/write", { json: { events: [event("")] } });
  }
  assert.deepEqual([upstream.requests.length, upstream.connections], [10, 1]);
});

await proxiedTest("a waiting write of a client that disconnects is removed from the queue", {
  listen: "unix",
}, async ({ server, proxy }) => {
  const [direct, client] = [server.client(), new Client(proxy.address)];
  using held = holdWriteLock(server);
  const active = client.append(event("active"));
  await waitForQueue(direct, 0);
  using leaving = await client.begin("POST", "/write", { json: { events: [event("leaving")] } });
  await waitForQueue(direct, 1);
  const staying = client.append(event("staying"));
  await waitForQueue(direct, 2);
  leaving.close();
  await waitForQueue(direct, 1);
  held.release();
  await Promise.all([active, staying]);
  assert.deepEqual((await direct.allEvents()).map(({ payload }) => payload), ["active", "staying"]);
});

await proxiedTest(
  "bodies up to the server's limit pass, a larger one is always 413",
  { listen: "tcp" },
  async ({ client }) => {
    for (const chunkBytes of [0, 60_000]) {
      const statusOf = async (bytes: number): Promise<number> => {
        const body = '{"events":[{"type":"t","payload":""}]}'.padEnd(bytes);
        return (await client.request("POST", "/write", { body, chunkBytes })).status;
      };
      assert.equal(await statusOf(BODY_BYTES_MAX), 200);
      for (let i = 0; i < 5; i++) assert.equal(await statusOf(BODY_BYTES_MAX + 1), 413);
      assert.equal(await statusOf(2 * BODY_BYTES_MAX), 413);
    }
    assert.equal((await client.allEvents()).length, 2);
  },
);

// Caddy waits for more of the body before it passes the answer on.
await proxiedTest(
  "a body is passed on as it comes, so that a rejection does not wait for its end",
  { listen: "unix", env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: "correct-horse-battery" } },
  async ({ proxy }) => {
    using connection = await Connection.open(proxy.address);
    const whole = new Client(proxy.address).bytesOf("POST", "/write", { body: " ".repeat(1_000_000) });
    await connection.send(whole.subarray(0, 1000));
    const late = setTimeout(() => connection.close(), 5000);
    assert.equal((await connection.readHead()).status, 401);
    clearTimeout(late);
  },
  ["nginx"],
);

await proxiedTest("while the server is away the answer is 502, and afterwards all is well", {
  listen: "unix",
}, async ({ server, client }) => {
  await client.append(event("1"));
  await server.stop();
  assert.equal((await client.write({ events: [event("lost")] })).status, 502);
  await server.start();
  await eventually(async () => {
    assert.equal((await client.write({ events: [event("2")] })).status, 200);
  });
  assert.deepEqual((await client.allEvents()).map(({ payload }) => payload), ["1", "2"]);
});
