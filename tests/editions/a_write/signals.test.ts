import assert from "node:assert/strict";
import { parsePage } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";

const event = { type: "t", identifiers: {}, payload: "" };

for (const signal of ["SIGTERM", "SIGINT", "SIGHUP"] as const) {
  Deno.test(`${signal} ends the server with exit code 0, logs the end and removes the socket`, async () => {
    await using server = await startServer({ listen: "unix" });
    await server.client().append(event);
    server.signal(signal);
    const { code, stdout, stderr } = await server.ended(3);
    assert.equal(code, 0);
    assert.equal(stderr, "");
    assert.ok(stdout.endsWith(`\neventstore-server: stopped by ${signal}\n`), stdout);
    const path = server.address.transport === "unix" ? server.address.path : "";
    assert.throws(() => Deno.lstatSync(path), Deno.errors.NotFound);
  });
}

Deno.test("shutdown: waiting requests get 503 ShuttingDown, the active write is finished, exit code 0", async () => {
  await using server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  using held = holdWriteLock(server);
  const active = client.append(event);
  await waitForQueue(client, 0);
  const waiting = [client.write({ events: [event] })];
  await waitForQueue(client, 1);
  for (
    const [method, target] of [["DELETE", "/projections"], ["DELETE", "/projections/t"], [
      "POST",
      "/reset",
    ]] as const
  ) {
    waiting.push(client.request(method, target));
    await waitForQueue(client, waiting.length);
  }
  server.signal("SIGTERM");
  for (const reply of await Promise.all(waiting)) assertRejected(reply, 503, "ShuttingDown");
  held.release();
  assert.equal((await active).events[0]?.sequence, 1);
  assert.equal((await server.ended()).code, 0);
  await server.start();
  assert.equal((await client.queryEvents()).events.length, 1);
});

Deno.test("shutdown: a write that arrives on an open connection gets 503 ShuttingDown, a new connection is not accepted", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  using connection = await Connection.open(server.address);
  // The server has the head, and waits for the body, when the signal comes.
  const write = client.bytesOf("POST", "/write", { json: { events: [event] } });
  await connection.send(write.subarray(0, write.length - 5));
  using held = holdWriteLock(server);
  const active = client.append(event);
  await waitForQueue(client, 0);
  server.signal("SIGTERM");
  await eventually(() => assert.rejects(client.request("GET", "/health")));
  await connection.send(write.subarray(write.length - 5));
  assertRejected(await connection.readReply("POST"), 503, "ShuttingDown");
  held.release();
  await active;
  assert.equal((await server.ended()).code, 0);
});

Deno.test("a second signal ends the server at once", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  using _held = holdWriteLock(server);
  using _active = await client.begin("POST", "/write", { json: { events: [event] } });
  await waitForQueue(client, 0);
  server.signal("SIGTERM");
  await pause(500);
  const ended = server.ended(10);
  const first = await Promise.race([ended, pause(200)]);
  assert.equal(first, undefined, "the active write holds up the end");
  server.signal("SIGTERM");
  const second = await Promise.race([ended, pause(1000)]);
  assert.notEqual(second, undefined, "still running 1 s after the second signal");
});

Deno.test("reads in flight may finish during the shutdown", async () => {
  await using server = await startServer();
  const client = server.client();
  const large = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };
  for (let i = 0; i < 5; i++) await client.append(...Array(100).fill(large));
  using reading = await client.begin("QUERY", "/events", { json: { query: "*" } });
  await pause(300);
  server.signal("SIGTERM");
  await pause(300);
  const page = parsePage(await reading.readReply("QUERY"));
  assert.deepEqual([page.events.length, page.hasMore], [500, false]);
  assert.equal((await server.ended()).code, 0);
});
