import assert from "node:assert/strict";
import { Client, parsePage } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { chunkOf, ScriptedUpstream, sendText } from "../../support/scripted_upstream.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { startProxy } from "./proxy.ts";
import { proxyTest } from "./proxy_test.ts";

const LINE = '{"sequence":1}\n';
const HEAD = "HTTP/1.1 200 OK\r\nContent-Type: application/x-ndjson\r\nTransfer-Encoding: chunked\r\n\r\n";
const READ_ALL = { json: { query: "*" } };

/** A server with a page of 24 MB: more than the sockets and a proxy may buffer. */
async function startWithLargePage(): Promise<ServerProcess> {
  const server = await startServer({ listen: "unix" });
  const event = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };
  for (let i = 0; i < 4; i++) await server.client().append(...Array(100).fill(event));
  return server;
}

async function readsUnderWay(server: ServerProcess, count: number): Promise<void> {
  await eventually(async () => {
    assert.equal((await debugSnapshot(server.client())).read.httpOpen, count);
  });
}

await proxyTest("a line of a page arrives before the server has sent the next", async (name, programs) => {
  const arrived = Promise.withResolvers<void>();
  using upstream = new ScriptedUpstream(async (_, conn) => {
    await sendText(conn, HEAD + chunkOf(LINE));
    await arrived.promise;
    await sendText(conn, `${chunkOf('{"hasMore":false}\n')}0\r\n\r\n`);
    return true;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  using connection = await new Client(proxy.address).begin("QUERY", "/events", READ_ALL);
  const readUntil = async (wanted: string): Promise<void> => {
    for (let text = ""; !text.includes(wanted);) {
      const part = await connection.readSome(1000);
      assert.notEqual(part, undefined, `the page ended before ${wanted}`);
      text += new TextDecoder().decode(part);
    }
  };
  await readUntil(LINE);
  arrived.resolve();
  await readUntil('"hasMore":false');
});

await proxyTest(
  "a reader that pauses holds up the server, not the proxy; one that disconnects is noticed",
  async (name, programs) => {
    await using server = await startWithLargePage();
    await using proxy = await startProxy(name, programs, server.address);
    const client = new Client(proxy.address);
    using pausing = await client.begin("QUERY", "/events", READ_ALL);
    const head = await pausing.readHead();
    // The server has sent all that the sockets and the proxy buffer, and waits.
    await pause(1000);
    await readsUnderWay(server, 1);

    using leaving = await client.begin("QUERY", "/events", READ_ALL);
    await leaving.readHead();
    await readsUnderWay(server, 2);
    leaving.close();
    await readsUnderWay(server, 1);

    const page = parsePage(await pausing.readRest(head));
    assert.deepEqual([page.events.length, page.hasMore, page.reply.cutShort], [400, false, false]);
    await readsUnderWay(server, 0);
  },
);

await proxyTest("a page that the server cuts short has no trailer", async (name, programs) => {
  using upstream = new ScriptedUpstream(async (_, conn) => {
    await sendText(conn, HEAD + chunkOf(LINE));
    return false;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  const page = parsePage(await new Client(proxy.address).request("QUERY", "/events", READ_ALL));
  assert.deepEqual([page.events.length, page.hasMore], [1, undefined]);
  // Caddy 2.6 ends such a reply as if it were whole. Only the missing trailer shows that it is not.
  if (name === "nginx") assert.equal(page.reply.cutShort, true);
});

await proxyTest("a projection that the server cuts short arrives as cut short", async (name, programs) => {
  using upstream = new ScriptedUpstream(async (_, conn) => {
    await sendText(conn, "HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\nhalf");
    return false;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  const reply = await new Client(proxy.address).request("GET", "/projections/t/a");
  assert.deepEqual([reply.text, reply.cutShort], ["half", true]);
});
