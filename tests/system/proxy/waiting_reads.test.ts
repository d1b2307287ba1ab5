import assert from "node:assert/strict";
import { Client, parsePage } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_turn.ts";
import { replacePart } from "../../support/page_block.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { proxyNames, startProxy } from "./proxy.ts";
import { proxyTest } from "./proxy_test.ts";

const EVENT = { type: "t", payload: "" };

/** The body of a read that waits for the next event. */
const waiting = (seconds: number): unknown => ({ query: "*", waitSeconds: seconds });

async function readsUnderWay(server: ServerProcess, count: number): Promise<void> {
  await eventually(async () => {
    assert.equal((await debugSnapshot(server.client())).read.httpOpen, count);
  });
}

await proxyTest(
  "a waiting read comes with its event, or empty when its time is over",
  async (name, programs) => {
    await using server = await startServer({ listen: "unix" });
    await using proxy = await startProxy(name, programs, server.address);
    using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
    const read = (seconds: number): Promise<Response> =>
      fetch(`${proxy.httpsUrl}/events`, { client, method: "QUERY", body: JSON.stringify(waiting(seconds)) });

    const empty = await read(1);
    assert.deepEqual([empty.status, await empty.text()], [200, '{"hasMore":false}\n']);
    assert.equal(empty.headers.get("x-service-head"), "0");

    const awaited = read(60);
    await readsUnderWay(server, 1);
    await server.client().append(EVENT);
    const page = await awaited;
    assert.match(await page.text(), /^\{"sequence":1,.*\}\n\{"hasMore":false\}\n$/);
    assert.equal(page.headers.get("x-service-head"), "1");
  },
);

await proxyTest("a waiting reader that leaves is noticed, with and without TLS", async (name, programs) => {
  await using server = await startServer({ listen: "unix" });
  await using proxy = await startProxy(name, programs, server.address);
  using plain = await new Client(proxy.address).begin("QUERY", "/events", { json: waiting(60) });
  await readsUnderWay(server, 1);
  plain.close();
  await readsUnderWay(server, 0);

  using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
  const leaving = new AbortController();
  const request = { client, method: "QUERY", body: JSON.stringify(waiting(60)), signal: leaving.signal };
  const awaited = fetch(`${proxy.httpsUrl}/events`, request);
  await readsUnderWay(server, 1);
  leaving.abort();
  await assert.rejects(awaited);
  await readsUnderWay(server, 0);
});

await proxyTest(
  "more readers wait than connections are kept idle, and one event wakes all",
  async (name, programs) => {
    await using server = await startServer({ listen: "unix" });
    await using proxy = await startProxy(name, programs, server.address);
    const client = new Client(proxy.address);
    const readers = Array.from(
      { length: 40 },
      () => client.request("QUERY", "/events", { json: waiting(60) }),
    );
    await readsUnderWay(server, readers.length);
    await server.client().append(EVENT);
    for (const reply of await Promise.all(readers)) {
      assert.equal(parsePage(reply).events.length, 1);
    }
  },
);

await debianTest(
  [...proxyNames, "openssl"],
  "nginx: a wait longer than proxy_read_timeout is 504; the one of the page is long enough",
  async (programs) => {
    await using server = await startServer({ listen: "unix" });
    const statusBehind = async (timeout: string): Promise<number> => {
      await using proxy = await startProxy(
        "nginx",
        programs,
        server.address,
        (config) => replacePart(config, "proxy_read_timeout 1d;", timeout),
      );
      return (await new Client(proxy.address).request("QUERY", "/events", { json: waiting(3) })).status;
    };
    assert.equal(await statusBehind("proxy_read_timeout 1s;"), 504);
    assert.equal(await statusBehind("proxy_read_timeout 1d;"), 200);
    await pause(0);
  },
);
