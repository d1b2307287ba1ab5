import assert from "node:assert/strict";
import type { Address } from "../../support/connection.ts";
import { startServer } from "../../support/server_process.ts";
import { Chromium } from "../support/chromium.ts";
import { debianTest } from "../support/debian_program.ts";

/*
 * The requests that a real browser sends for foreign pages, and the answers of a server without a token. For the
 * browser, every name below `example` is this machine, as after DNS rebinding.
 */

const FLAGS = ["--host-resolver-rules=MAP *.example 127.0.0.1"];

/** A write that a browser sends without asking the server first. The page may not read the answer. */
function writeFrom(server: string): string {
  const body = JSON.stringify({ events: [{ type: "t", payload: "" }] });
  const init = JSON.stringify({ method: "POST", mode: "no-cors", body });
  return `fetch("${server}/write", ${init}).then(({ type }) => type, (error) => String(error))`;
}

function portOf(address: Address): number {
  assert.ok(address.transport === "tcp");
  return address.port;
}

await debianTest(
  ["chromium"],
  "a browser writes for a page of an allowed host, and for no other",
  async ({ chromium }) => {
    await using server = await startServer({
      listen: "tcp",
      listenOnly: true,
      env: { SERVICE_ALLOWED_HOSTS: "shop.example" },
    });
    const port = portOf(server.address);
    await using pages = Deno.serve(
      { hostname: "127.0.0.1", port: 0, onListen() {} },
      () => new Response("<!doctype html>", { headers: { "content-type": "text/html" } }),
    );
    await using browser = await Chromium.start(chromium, FLAGS);
    const write = async (host: string, server: string): Promise<void> => {
      await using page = await browser.open(`http://${host}:${pages.addr.port}/`);
      assert.equal(await page.evaluate(writeFrom(server)), "opaque", "the request was sent");
    };
    const count = async (): Promise<number> => (await server.client().allEvents()).length;
    for (
      const place of [`http://127.0.0.1:${port}`, `http://localhost:${port}`, `http://evil.example:${port}`]
    ) {
      await write("evil.example", place);
    }
    assert.equal(await count(), 0);
    await write("shop.example", `http://127.0.0.1:${port}`);
    assert.equal(await count(), 1);
  },
);

await debianTest(
  ["chromium"],
  "a page under a name that was pointed at the server reads nothing",
  async ({ chromium }) => {
    await using server = await startServer({ listen: "tcp", listenOnly: true });
    const port = portOf(server.address);
    const projections = { create: [{ type: "t", id: "a", payload: "a secret" }] };
    assert.equal((await server.client().write({ projections })).status, 200);
    await using browser = await Chromium.start(chromium, FLAGS);
    const read = async (host: string): Promise<unknown> => {
      await using page = await browser.open(`http://${host}:${port}/health`);
      return await page.evaluate('fetch("/projections/t/a").then((reply) => reply.text())');
    };
    assert.equal(await read("localhost"), "a secret");
    assert.match(
      String(await read("evil.example")),
      /^rejected without a token: the Host "evil\.example:\d+" /,
    );
  },
);
