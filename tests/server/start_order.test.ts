import assert from "node:assert/strict";
import { join } from "node:path";
import { inDirectory, namesIn } from "../support/directory.ts";
import { runServer, spawnServer, startServer } from "../support/server_process.ts";

Deno.test("a socket path that is rejected stops the start before any data is created", async () => {
  await inDirectory(async (directory) => {
    const socketPath = join(directory, "server.sock");
    Deno.writeTextFileSync(socketPath, "a file");
    const { code, stdout, stderr } = await runServer({ directory, listen: "unix" });
    assert.equal(code, 1, stdout);
    assert.match(stderr, /^eventstore-server: [^\n]*server\.sock[^\n]*\n$/);
    assert.deepEqual(namesIn(directory), ["server.sock"]);
    assert.equal(Deno.readTextFileSync(socketPath), "a file");
  });
});

Deno.test("a store that is rejected stops the start before the server listens", async () => {
  await inDirectory(async (directory) => {
    Deno.mkdirSync(join(directory, "data"));
    Deno.writeTextFileSync(join(directory, "data/events.db"), "something else");
    const { code, stdout, stderr } = await runServer({ directory, listen: "unix" });
    assert.equal(code, 1);
    assert.match(stderr, /^eventstore-server: [^\n]*events\.db[^\n]*\n$/);
    assert.doesNotMatch(stdout, /listening/);
    assert.deepEqual(namesIn(directory), ["data"]);
  });
});

Deno.test("a second server with everything alike is rejected and leaves socket and data of the first alone", async () => {
  await using first = await startServer({ listen: "unix" });
  const { code, stderr } = await runServer({ directory: first.directory, listen: "unix" });
  assert.equal(code, 1);
  assert.match(stderr, /^eventstore-server: [^\n]+\n$/);
  assert.equal((await first.client().request("GET", "/health")).status, 200);
  await first.client().append({ type: "t", payload: "" });
});

Deno.test("of two servers with everything alike that start at one moment, over a stale socket, one is reachable", async () => {
  await using first = await startServer({ listen: "unix", listenOnly: true });
  await first.kill();
  await using second = await spawnServer({ directory: first.directory, listen: "unix", listenOnly: true });
  first.spawn();
  const endings = [first, second].map(async (server) => {
    const { code, stderr } = await server.ended();
    assert.equal(code, 1);
    assert.match(stderr, /^eventstore-server: [^\n]+ in use[^\n]+\n$/);
    return server;
  });
  const lost = await Promise.race(endings);
  const won = lost === first ? second : first;
  await won.waitForOutput((stdout) => stdout.includes("listening on"), 20);
  await won.client().append({ type: "t", payload: "" });
  const other = endings[won === first ? 0 : 1]!.catch(() => {});
  won.signal("SIGTERM");
  await other;
  assert.deepEqual(namesIn(first.directory), ["data"]);
});

Deno.test("after a start on a port in use the data directory is whole and free for the next start", async () => {
  await inDirectory(async (directory) => {
    {
      using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
      const env = { SERVICE_PORT: String(listener.addr.port) };
      const { code, stderr } = await runServer({ directory, listen: "none", env });
      assert.equal(code, 1);
      assert.match(stderr, /^eventstore-server: cannot listen on http:\/\/127\.0\.0\.1:\d+: [^\n]+\n$/);
    }
    await using server = await startServer({ directory });
    await server.client().append({ type: "t", payload: "" });
  });
});
