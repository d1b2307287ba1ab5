import assert from "node:assert/strict";
import { runDeno } from "../support/run_command.ts";
import { startServer } from "../support/server_process.ts";
import { FakeSource, rightPage } from "./fake_source.ts";

/*
 * The limits of `fetch`, which are why the backup program has a client of its own. When the second test fails, the
 * runtime has lifted one: see docs/decisions/backup_client.md.
 */

Deno.test("over a unix socket fetch sends requests as to a proxy, which an event store answers", async () => {
  await using server = await startServer({ listen: "unix", listenOnly: true });
  assert.ok(server.address.transport === "unix");
  using client = Deno.createHttpClient({ proxy: server.address });
  const answer = await fetch("http://localhost/events", { method: "QUERY", body: '{"query":"*"}', client });
  assert.equal(answer.status, 200);
  assert.match(await answer.text(), /"hasMore":false/);
});

Deno.test("fetch sends requests for the source to the proxy that the environment names", async () => {
  await using source = new FakeSource((request) => rightPage(request, 1));
  await using proxy = new FakeSource((request) => rightPage(request, 1));
  const url = `http://127.0.0.1:${source.address.port}/events`;
  const code = `await fetch(${JSON.stringify(url)}, {
    method: "QUERY", body: "{}", client: Deno.createHttpClient({}),
  }).then((answer) => answer.text())`;
  const ended = await runDeno(["eval", "--quiet", `Deno.env.set("NO_PROXY", "*"); ${code}`], {
    env: { HTTP_PROXY: `http://127.0.0.1:${proxy.address.port}`, http_proxy: "", DENO_NO_UPDATE_CHECK: "1" },
  });
  assert.equal(ended.code, 0, ended.stderr);
  assert.deepEqual([source.connections, proxy.connections], [0, 1]);
});
