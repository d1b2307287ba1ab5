import assert from "node:assert/strict";
import { join } from "node:path";
import { Connection, type Reply } from "../../support/connection.ts";
import { inDirectory, modeOf } from "../../support/directory.ts";
import { assertNoContent, assertPlainText } from "../../support/replies.ts";
import { runServer, serverOfFile, type ServerOptions, startServer } from "../../support/server_process.ts";
import type { Ended } from "../../support/run_command.ts";

const running = serverOfFile({ listen: "unix", listenOnly: true, env: { SERVICE_DEV_MODE: "true" } });

function assertRejected(ended: Ended, code: number, ...parts: string[]): void {
  assert.equal(ended.code, code, ended.stdout + ended.stderr);
  assert.match(ended.stderr, /^[^\n]+\n$/);
  for (const part of parts) assert.ok(ended.stderr.includes(part), ended.stderr);
}

const modes: readonly [given: string | undefined, expected: number][] = [
  [undefined, 0o600],
  ["0660", 0o660],
  ["0777", 0o777],
  ["600", 0o600],
];
/** Each mode is tried with each umask in long tests. Else these two show both masks. */
const inShort = ["left out, umask 000", "0660, umask 077"];
for (const [given, expected] of modes) {
  for (const umask of ["000", "077"]) {
    const what = `${given ?? "left out"}, umask ${umask}`;
    const ignore = Deno.env.get("EVENTSTORE_LONG_TESTS") !== "1" && !inShort.includes(what);
    Deno.test(`socketMode ${what}: the socket is ${expected.toString(8)}`, { ignore }, async () => {
      const env = given === undefined ? {} : { SERVICE_SOCKET_MODE: given };
      await using server = await startServer({ listen: "unix", listenOnly: true, env, umask });
      const path = server.address.transport === "unix" ? server.address.path : "";
      assert.equal(modeOf(path), expected);
      assert.ok(Deno.statSync(path).isSocket);
      assert.ok(server.stdout.includes(`eventstore-server: listening on ${path} (auth=false)\n`));
      assert.equal((await server.client().request("GET", "/health")).status, 200);
    });
  }
}

Deno.test("a socket on which a server is listening stops the start, the other server keeps running", async () => {
  const socketPath = running.address.transport === "unix" ? running.address.path : "";
  assertRejected(
    await runServer({ listen: "none", env: { SERVICE_SOCKET_PATH: socketPath } }),
    1,
    socketPath,
  );
  assert.equal((await running.client().request("GET", "/health")).status, 200);
});

Deno.test("without allowedHosts any Host is accepted, but no page of another site", async () => {
  const client = running.client();
  await client.append({ type: "t", payload: "" });
  const reset = async (...fields: readonly string[]): Promise<Reply> => {
    using connection = await Connection.open(running.address);
    const head = ["POST /reset HTTP/1.1", "Connection: close", "Content-Length: 0", ...fields];
    await connection.send(`${head.join("\r\n")}\r\n\r\n`);
    return await connection.readReply("POST");
  };
  const page = ["Origin: https://evil.example", "Sec-Fetch-Site: cross-site"];
  assertPlainText(await reset("Host: events.example.com", ...page), 403);
  assert.equal((await client.allEvents()).length, 1);
  assertNoContent(await reset("Host: events.example.com"));
  assert.equal((await client.allEvents()).length, 0);
});

Deno.test("a file, a directory and a dangling link at the path stop the start and stay", async () => {
  await inDirectory(async (directory, socketPath) => {
    const start = (): Promise<Ended> => runServer({ directory, listen: "unix", listenOnly: true });
    await Deno.writeTextFile(socketPath, "precious");
    assertRejected(await start(), 1, socketPath);
    assert.equal(await Deno.readTextFile(socketPath), "precious");
    await Deno.remove(socketPath);
    await Deno.mkdir(socketPath);
    assertRejected(await start(), 1, socketPath);
    await Deno.remove(socketPath);
    await Deno.symlink(join(directory, "nowhere"), socketPath);
    assertRejected(await start(), 1, socketPath);
    assert.ok((await Deno.lstat(socketPath)).isSymlink);
  });
});

Deno.test("a missing directory of the socket stops the start with a line that names it", async () => {
  await inDirectory(async (directory) => {
    const missing = join(directory, "missing");
    const env = { SERVICE_SOCKET_PATH: join(missing, "server.sock") };
    assertRejected(await runServer({ directory, listen: "none", env }), 1, missing);
  });
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
