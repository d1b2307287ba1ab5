import assert from "node:assert/strict";
import { join } from "node:path";
import { npmPackage } from "../../../tools/client/npm_package.ts";
import { run } from "../../../tools/build/run.ts";
import { placeOf, startTestServer } from "../../client/support.ts";
import { debianTest } from "../support/debian_program.ts";

/*
 * The npm package of the client in a page of Chromium. The page comes from a server that passes everything else on to
 * the store, as a proxy does, so that both are of one origin.
 */

const SECONDS_MAX = 60;

const PAGE = `<!doctype html>
<script type="importmap">{ "imports": { "eventstore-client": "/client/mod.js" } }</script>
<script type="module">
  const report = (result) => fetch("/result", { method: "POST", body: String(result) });
  try {
    const [client, { check }] = await Promise.all([import("eventstore-client"), import("/runtime_check.js")]);
    await report(await check(client, { url: "/store/" }));
  } catch (error) {
    await report(error.stack ?? error);
  }
</script>
`;

/** Serves the page and the modules, and stands before the store. */
function serve(
  modules: string,
  store: string,
  onResult: (result: string) => void,
): Deno.HttpServer<Deno.NetAddr> {
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
    if (pathname === "/result") {
      onResult(await request.text());
      return new Response();
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
    await run("tar", ["-xzf", await npmPackage(directory), "-C", directory]);
    await using server = await startTestServer();
    const result = Promise.withResolvers<string>();
    await using pages = serve(join(directory, "package"), placeOf(server.address).url!, result.resolve);
    const program = join(chromium.root, "usr/lib/chromium/chromium");
    const browser = new Deno.Command(program, {
      args: [
        "--headless",
        "--no-sandbox",
        "--disable-gpu",
        "--disable-dev-shm-usage",
        "--no-first-run",
        "--no-proxy-server",
        `--user-data-dir=${join(directory, "profile")}`,
        `http://127.0.0.1:${pages.addr.port}/`,
      ],
      env: { ...chromium.environment, HOME: directory },
      stdin: "null",
      stdout: "null",
      stderr: "null",
    }).spawn();
    const timer = setTimeout(() => result.resolve(`nothing within ${SECONDS_MAX} s`), 1000 * SECONDS_MAX);
    const ended = browser.status.then(({ code }) => result.resolve(`Chromium ended with ${code}`));
    try {
      assert.equal(await result.promise, "9");
    } finally {
      clearTimeout(timer);
      // It ends its other processes, which write into the directory.
      browser.kill("SIGTERM");
      await ended;
    }
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
