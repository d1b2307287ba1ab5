import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { inDirectory, namesIn } from "../support/directory.ts";
import { eventually, pause } from "../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../support/held_write_lock.ts";
import { spawnServer, startServer } from "../support/server_process.ts";
import { startCommand } from "../support/start_command.ts";

const event = { type: "t", payload: "" };

/** Asserts that nothing is left of the WAL: the database file can be copied as it is. */
function assertWithoutWal(dataDir: string): void {
  assert.deepEqual(namesIn(dataDir), ["events.db", "events.lock"]);
}

Deno.test("after a stop the database file alone holds everything", async () => {
  await using server = await startServer({ listen: "unix" });
  for (let i = 0; i < 20; i++) await server.client().append(event);
  await server.client().queryEvents();
  assert.equal((await server.stop()).code, 0);
  assertWithoutWal(server.dataDir);
  assert.deepEqual(namesIn(server.directory), ["data"], "the socket is gone");
  await server.start();
  assert.equal((await server.client().queryEvents()).events.length, 20);
});

for (const [first, second] of [["SIGTERM", "SIGINT"], ["SIGINT", "SIGTERM"]] as const) {
  Deno.test(`${second} after ${first} ends at once with exit code 1, and loses no acknowledged write`, async () => {
    await using server = await startServer({ listen: "unix" });
    const client = server.client();
    await client.append(event);
    {
      using _held = holdWriteLock(server);
      using _active = await client.begin("POST", "/write", { json: { events: [event] } });
      await waitForQueue(client, 0);
      server.signal(first);
      await pause(100);
      const started = performance.now();
      server.signal(second);
      assert.equal((await server.ended()).code, 1);
      assert.ok(performance.now() - started < 1500);
    }
    await server.start();
    assert.equal((await client.queryEvents()).events[0]?.sequence, 1);
  });
}

Deno.test("a stop closes the store in order also when the last requests are answered during it", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  const held = holdWriteLock(server);
  const active = client.append(event);
  await waitForQueue(client, 0);
  server.signal("SIGTERM");
  await pause(50);
  held.release();
  assert.equal((await active).events[0]?.sequence, 1);
  const { code, stderr } = await server.ended();
  assert.deepEqual([code, stderr], [0, ""]);
  assertWithoutWal(server.dataDir);
});

Deno.test("a stop leaves the socket of another server alone that was bound at the same path since", async () => {
  await using first = await startServer({ listen: "unix", listenOnly: true });
  const socketPath = join(first.directory, "server.sock");
  Deno.removeSync(socketPath);
  const env = { SERVICE_SOCKET_PATH: socketPath, SERVICE_DATA_DIR: join(first.directory, "other") };
  await using second = await spawnServer({ listen: "none", env });
  await second.waitForOutput((stdout) => stdout.includes("listening on"), 20);
  assert.equal((await first.stop()).code, 0);
  await first.client().append(event);
  assert.equal((await second.stop()).code, 0);
  assert.deepEqual(namesIn(first.directory), ["data", "other"]);
});

/** Starts the server with output that no process reads. */
async function startUnread(directory: string): Promise<{ child: Deno.ChildProcess; client: Client }> {
  const [program, ...args] = startCommand(undefined);
  const socketPath = join(directory, "server.sock");
  const child = new Deno.Command(program, {
    args,
    cwd: directory,
    env: {
      SERVICE_SOCKET_PATH: socketPath,
      SERVICE_DATA_DIR: join(directory, "data"),
      SERVICE_LOG_LEVEL: "debug",
    },
    stdin: "null",
    stdout: "piped",
    stderr: "piped",
  }).spawn();
  const client = new Client({ transport: "unix", path: socketPath });
  await eventually(async () => assert.equal((await client.request("GET", "/health")).status, 200), 20);
  return { child, client };
}

async function withUnread(
  run: (child: Deno.ChildProcess, client: Client) => Promise<void>,
): Promise<void> {
  await inDirectory(async (directory) => {
    const { child, client } = await startUnread(directory);
    try {
      await run(child, client);
    } finally {
      try {
        child.kill("SIGKILL");
      } catch {
        // It has ended already.
      }
      await child.status;
      await Promise.allSettled([child.stdout.cancel(), child.stderr.cancel()]);
    }
  });
}

async function assertStops(child: Deno.ChildProcess): Promise<void> {
  child.kill("SIGTERM");
  const ended = await Promise.race([child.status, pause(5000)]);
  assert.ok(ended !== undefined, "still running after 5 s");
  assert.deepEqual([ended.code, ended.signal], [0, null]);
}

Deno.test("an unread log slows no request and holds up no stop", async () => {
  await withUnread(async (child, client) => {
    // More than a pipe holds: each line is 150 bytes, a pipe 64 KiB.
    const target = `/health/${"x".repeat(100)}`;
    for (let i = 0; i < 1000; i++) assert.equal((await client.request("GET", target)).status, 404);
    await assertStops(child);
  });
});

Deno.test("a log whose reader went away does not stop the server", async () => {
  await withUnread(async (child, client) => {
    await child.stdout.cancel();
    await child.stderr.cancel();
    for (let i = 0; i < 20; i++) {
      assert.equal((await client.request("GET", "/health")).status, 200);
      await client.append(event);
    }
    await assertStops(child);
  });
});
