import assert from "node:assert/strict";
import { modeOf } from "../../support/directory.ts";
import { runServer, type ServerOptions, startServer } from "../../support/server_process.ts";
import type { Ended } from "../../support/run_command.ts";

function assertRejected(ended: Ended, code: number, ...parts: string[]): void {
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  assert.match(ended.stderr, /^[^\n]+\n$/);
  for (const part of parts) assert.ok(ended.stderr.includes(part), ended.stderr);
}

for (const [given, expected, umask] of [[undefined, 0o600, "000"], ["0660", 0o660, "077"]] as const) {
  Deno.test(`socketMode ${given ?? "left out"} makes the socket ${expected.toString(8)}, umask ${umask}`, async () => {
    const env = given === undefined ? {} : { SERVICE_SOCKET_MODE: given };
    await using server = await startServer({ listen: "unix", listenOnly: true, env, umask });
    const path = server.address.transport === "unix" ? server.address.path : "";
    assert.equal(modeOf(path), expected);
    assert.ok(Deno.statSync(path).isSocket);
    assert.ok(server.stdout.includes(`eventstore-server: listening on ${path} (auth=false)\n`));
    assert.equal((await server.client().request("GET", "/health")).status, 200);
  });
}

Deno.test("a socket on which a server is listening stops the start, the other server keeps running", async () => {
  await using first = await startServer({ listen: "unix", listenOnly: true });
  const socketPath = first.address.transport === "unix" ? first.address.path : "";
  assertRejected(
    await runServer({ listen: "none", env: { SERVICE_SOCKET_PATH: socketPath } }),
    1,
    socketPath,
  );
  assert.equal((await first.client().request("GET", "/health")).status, 200);
});

Deno.test("a socket path of 108 bytes is rejected as bad configuration", async () => {
  const long = (bytes: number): ServerOptions => ({
    listen: "none",
    env: { SERVICE_SOCKET_PATH: "/tmp/".padEnd(bytes, "s") },
  });
  assertRejected(await runServer(long(108)), 2, "107");
});

Deno.test("a port in use stops the start with one line", async () => {
  using listener = Deno.listen({ hostname: "127.0.0.1", port: 0 });
  const port = String(listener.addr.port);
  assertRejected(await runServer({ listen: "none", env: { SERVICE_PORT: port } }), 1, port);
});
