import assert from "node:assert/strict";
import { join } from "node:path";
import { run } from "../../../tools/build/run.ts";
import { placeOf, startTestServer } from "../../client/support.ts";
import { Chromium } from "../support/chromium.ts";
import { debianTest } from "../support/debian_program.ts";
import { packedClient } from "../support/packed_client.ts";

/*
 * The npm package of the client in a page of Chromium. One server serves the page and passes all other requests on to
 * the store, as a proxy does, so that both have one origin.
 */

const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "eventstore-client": "/client/mod.js" } }</script>
`;

const CHECK = `Promise.all([import("eventstore-client"), import("/runtime_check.js")])
  .then(([client, { check }]) => check(client, { url: "/store/" }))`;

/** Serves the page and the modules, and stands before the store. */
function serve(modules: string, store: string): Deno.HttpServer<Deno.NetAddr> {
  const javaScript = { headers: { "content-type": "text/javascript" } };
  return Deno.serve({ hostname: "127.0.0.1", port: 0, onListen() {} }, async (request) => {
    const { pathname } = new URL(request.url);
    if (pathname === "/") return new Response(PAGE, { headers: { "content-type": "text/html" } });
    if (pathname === "/runtime_check.js") {
      return new Response(await Deno.readTextFile(new URL("runtime_check.js", import.meta.url)), javaScript);
    }
    if (pathname.startsWith("/client/")) {
      return new Response(
        await Deno.readTextFile(join(modules, pathname.slice("/client/".length))),
        javaScript,
      );
    }
    if (!pathname.startsWith("/store/")) return new Response("", { status: 404 });
    const { method, headers, signal } = request;
    const body = method === "GET" ? null : await request.text();
    return await fetch(store + pathname.slice("/store".length), { method, headers, body, signal });
  });
}

await debianTest(["chromium"], "a page in Chromium uses the package", async ({ chromium }) => {
  const directory = await Deno.makeTempDir({ prefix: "eventstore_client_test_" });
  try {
    await run("tar", ["-xzf", await packedClient(), "-C", directory]);
    await using server = await startTestServer();
    await using pages = serve(join(directory, "package"), placeOf(server.address).url!);
    await using browser = await Chromium.start(chromium);
    await using page = await browser.open(`http://127.0.0.1:${pages.addr.port}/`);
    assert.equal(String(await page.evaluate(CHECK)), "9");
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
