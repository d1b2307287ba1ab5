import assert from "node:assert/strict";
import { Client } from "../../support/client.ts";
import { debianTest } from "../support/debian_program.ts";
import { pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { ScriptedUpstream, sendText } from "../../support/scripted_upstream.ts";
import { startServer } from "../../support/server_process.ts";
import { type ProxyName, proxyNames, type ProxyPrograms, startProxy } from "./proxy.ts";

/* These tests take over a minute, so they run with EVENTSTORE_LONG_TESTS=1 only. */

const LINE_SECONDS = 30;

/** Longer than the minute after which proxies give up by default. */
const WAIT_SECONDS = 75;

async function waitForTurn(name: ProxyName, programs: ProxyPrograms): Promise<void> {
  using upstream = new ScriptedUpstream(async (_, conn) => {
    await pause(WAIT_SECONDS * 1000);
    await sendText(conn, "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok");
    return true;
  });
  await using proxy = await startProxy(name, programs, upstream.address);
  using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
  const reply = await fetch(`${proxy.httpsUrl}/begin`, { client, method: "POST" });
  assert.deepEqual([reply.status, await reply.text(), upstream.requests.length], [200, "ok", 1], name);
}

/** The longest wait that a read may ask for. */
async function waitForEvents(name: ProxyName, programs: ProxyPrograms): Promise<void> {
  await using server = await startServer({ listen: "unix" });
  await using proxy = await startProxy(name, programs, server.address);
  using client = Deno.createHttpClient({ caCerts: [proxy.certificate] });
  const body = JSON.stringify({ query: "*", waitSeconds: 60 });
  const reply = await fetch(`${proxy.httpsUrl}/events`, { client, method: "QUERY", body });
  assert.deepEqual([reply.status, await reply.text()], [200, '{"hasMore":false}\n'], name);
}

async function stallReader(name: ProxyName, programs: ProxyPrograms): Promise<void> {
  await using server = await startServer({ listen: "unix" });
  await using proxy = await startProxy(name, programs, server.address);
  const event = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };
  for (let i = 0; i < 4; i++) await server.client().append(...Array(100).fill(event));
  using stalled = await new Client(proxy.address).begin("QUERY", "/events", { json: { query: "*" } });
  const head = await stalled.readHead();
  const reads = async (): Promise<number> => (await debugSnapshot(server.client())).read.httpOpen;
  await pause((LINE_SECONDS - 5) * 1000);
  assert.equal(await reads(), 1, `${name}: 5 s before the time is up`);
  await pause(8000);
  assert.equal(await reads(), 0, `${name}: 3 s after the time is up`);
  const { text } = await stalled.readRest(head);
  assert.ok(text.includes('"sequence":1,') && !text.includes('"hasMore"'), `${name}: no trailer`);
}

if (Deno.env.get("EVENTSTORE_LONG_TESTS") === "1") {
  await debianTest(
    [...proxyNames, "openssl"],
    `a request that waits ${WAIT_SECONDS} s for its turn is answered through each proxy`,
    async (programs) => {
      await Promise.all(proxyNames.map((name) => waitForTurn(name, programs)));
    },
  );

  await debianTest(
    [...proxyNames, "openssl"],
    "a read that waits 60 s for events is answered through each proxy",
    async (programs) => {
      await Promise.all(proxyNames.map((name) => waitForEvents(name, programs)));
    },
  );

  await debianTest(
    [...proxyNames, "openssl"],
    "a client that reads nothing for over 30 s gets no trailer through each proxy",
    async (programs) => {
      await Promise.all(proxyNames.map((name) => stallReader(name, programs)));
    },
  );
}
