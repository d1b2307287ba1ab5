import assert from "node:assert/strict";
import { Client, parsePage } from "../../support/client.ts";
import { type Connection, NoReply, type Reply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { replacePart } from "../../support/page_block.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { type Proxy, startProxy } from "./proxy.ts";
import { proxiedTest, proxyTest } from "./proxy_test.ts";

const EVENT = { type: "t", payload: "" };

/** The body of a read that waits for the next event. */
const waiting = (seconds: number): string => JSON.stringify({ query: "*", waitSeconds: seconds });

function readThrough(proxy: Proxy, seconds: number): Promise<Reply> {
  return new Client(proxy.address).request("QUERY", "/events", { body: waiting(seconds) });
}

/** Waits until so many reads wait, and no read does anything else. */
async function readsWait(server: ServerProcess, count: number): Promise<void> {
  await eventually(async () => {
    const { httpOpen, waiting } = (await debugSnapshot(server.client())).read;
    assert.deepEqual([httpOpen, waiting], [count, count]);
  });
}

await proxiedTest(
  "a waiting read comes with its event, or empty when its time is over",
  { listen: "unix" },
  async ({ server, proxy }) => {
    using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
    const read = (seconds: number): Promise<Response> =>
      fetch(`${proxy.httpsUrl}/events`, { client, method: "QUERY", body: waiting(seconds) });

    const empty = await read(1);
    assert.deepEqual([empty.status, await empty.text()], [200, '{"hasMore":false}\n']);
    assert.equal(empty.headers.get("x-service-head"), "0");

    const awaited = read(60);
    await readsWait(server, 1);
    await server.client().append(EVENT);
    const page = await awaited;
    assert.match(await page.text(), /^\{"sequence":1,.*\}\n\{"hasMore":false\}\n$/);
    assert.equal(page.headers.get("x-service-head"), "1");
  },
);

await proxiedTest(
  "a waiting reader that disconnects is noticed, with and without TLS",
  { listen: "unix" },
  async ({ server, proxy }) => {
    using plain = await new Client(proxy.address).begin("QUERY", "/events", { body: waiting(60) });
    await readsWait(server, 1);
    plain.close();
    await readsWait(server, 0);

    using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
    const leaving = new AbortController();
    const request = { client, method: "QUERY", body: waiting(60), signal: leaving.signal };
    const awaited = fetch(`${proxy.httpsUrl}/events`, request);
    await readsWait(server, 1);
    leaving.abort();
    await assert.rejects(awaited);
    await readsWait(server, 0);
  },
);

await proxiedTest("more readers wait than connections are kept idle, and one event wakes all", {
  listen: "unix",
}, async ({ server, proxy }) => {
  const readers = Array.from({ length: 40 }, () => readThrough(proxy, 60));
  await readsWait(server, readers.length);
  await server.client().append(EVENT);
  for (const reply of await Promise.all(readers)) assert.equal(parsePage(reply).events.length, 1);
});

await proxyTest(
  "a wait longer than proxy_read_timeout is 504, and the one of the page is long enough",
  async (_, programs) => {
    await using server = await startServer({ listen: "unix" });
    const shorten = (config: string): string => replacePart(config, "read_timeout 1d", "read_timeout 1s");
    await using proxy = await startProxy("nginx", programs, server.address);
    await using impatient = await startProxy("nginx", programs, server.address, shorten);
    const replies = await Promise.all([readThrough(proxy, 3), readThrough(impatient, 3)]);
    assert.deepEqual(replies.map(({ status }) => status), [200, 504]);
  },
  ["nginx"],
);

await proxyTest("a waiting reader takes two of worker_connections", async (_, programs) => {
  await using server = await startServer({ listen: "unix" });
  const limit = (config: string): string =>
    replacePart(config, "events {}", "events { worker_connections 64; }");
  await using proxy = await startProxy("nginx", programs, server.address, limit);
  const client = new Client(proxy.address);
  using readers = new DisposableStack();
  const wait = async (): Promise<Connection> =>
    readers.use(await client.begin("QUERY", "/events", { body: waiting(60) }));
  // The listeners of nginx take some of the connections.
  for (let count = 1; count <= 24; count++) {
    await wait();
    await readsWait(server, count);
  }
  const rejected: Promise<unknown>[] = [];
  for (let count = 25; count <= 33; count++) rejected.push((await wait()).readHead());
  // Requests beyond the limit get no reply; the others would wait.
  await assert.rejects(Promise.race(rejected), NoReply);
  assert.ok((await debugSnapshot(server.client())).read.httpOpen <= 32);
}, ["nginx"]);
