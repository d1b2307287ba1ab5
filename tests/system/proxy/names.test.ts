import assert from "node:assert/strict";
import { type Address, Connection, type Reply } from "../../support/connection.ts";
import { pageBlock } from "../../support/page_block.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { debianTest } from "../support/debian_program.ts";
import { startHaproxy } from "./haproxy.ts";
import { startProxy } from "./proxy.ts";
import { proxyTest } from "./proxy_test.ts";

const BODY = '{"events":[{"type":"t","payload":""}]}';

/** A client that addresses the proxy by its public name; with an origin, a page in a browser. */
async function write(proxy: Address, ...fields: string[]): Promise<Reply> {
  using connection = await Connection.open(proxy);
  const head = ["POST /write HTTP/1.1", "Host: events.example.com", "Connection: close", ...fields];
  await connection.send(`${head.join("\r\n")}\r\nContent-Length: ${BODY.length}\r\n\r\n${BODY}`);
  return await connection.readReply("POST");
}

const OWN_PAGE = ["Origin: https://events.example.com", "Sec-Fetch-Site: same-origin"];
const PAGE_OF_OTHERS = ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"];

/** A server without a token, with the setting of the page or without it. */
function start(listen: "tcp" | "unix", hasSetting: boolean): Promise<ServerProcess> {
  const config = hasSetting ? pageBlock("reverse_proxy.md", "# config.toml of each server") : "";
  return startServer({ listen, listenOnly: true, config });
}

async function assertWelcome(proxy: Address): Promise<void> {
  assert.equal((await write(proxy)).status, 200);
  assert.equal((await write(proxy, ...OWN_PAGE)).status, 200);
  assert.equal((await write(proxy, ...PAGE_OF_OTHERS)).status, 403);
}

for (const listen of ["tcp", "unix"] as const) {
  await proxyTest(
    `over ${listen} without a token, the setting lets in the proxy's names`,
    async (name, programs) => {
      await using server = await start(listen, true);
      await using proxy = await startProxy(name, programs, server.address);
      await assertWelcome(proxy.address);
    },
  );

  await proxyTest(
    `over ${listen} without a token and the setting, no page comes in`,
    async (name, programs) => {
      await using server = await start(listen, false);
      await using proxy = await startProxy(name, programs, server.address);
      for (const fields of [OWN_PAGE, PAGE_OF_OTHERS]) {
        const { status, text } = await write(proxy.address, ...fields);
        assert.equal(status, 403);
        assert.match(text, /^rejected without a token: the Origin .*SERVICE_ALLOWED_HOSTS/);
      }
      // The Host is checked over TCP. nginx sends the name of its upstream, Caddy the one of the client.
      const { status, text } = await write(proxy.address);
      if (listen === "unix" || name === "nginx") return assert.equal(status, 200);
      assert.equal(status, 403);
      assert.match(
        text,
        /^rejected without a token: the Host "events\.example\.com" .*SERVICE_ALLOWED_HOSTS/,
      );
    },
  );
}

await debianTest(
  ["haproxy"],
  "haproxy: without a token, the setting lets in the proxy's names",
  async ({ haproxy }) => {
    await using server = await start("tcp", true);
    await using proxy = await startHaproxy(haproxy, [server.address, server.address]);
    await assertWelcome(proxy.address);
  },
);

await debianTest(
  ["haproxy"],
  "haproxy: without a token and the setting, its health checks pass and its clients are told the setting",
  async ({ haproxy }) => {
    await using server = await start("tcp", false);
    await using proxy = await startHaproxy(haproxy, [server.address, server.address]);
    // HAProxy itself answers 503 if no server passes its check.
    const { status, text } = await write(proxy.address);
    assert.equal(status, 403);
    assert.match(text, /^rejected without a token: the Host "events\.example\.com" .*SERVICE_ALLOWED_HOSTS/);
  },
);
