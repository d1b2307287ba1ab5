import assert from "node:assert/strict";
import { parsePage } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";
import { Flood } from "./support/flood.ts";
import { KINDS, listening } from "./support/listening.ts";
import { requestBytes, textBody } from "./support/requests.ts";
import { openDescriptors, TransportProcess } from "./support/transport_process.ts";

for (const kind of KINDS) {
  Deno.test(`a connection over the cap is closed at once, one below it is served (${kind})`, async () => {
    await using server = listening(kind, () => Promise.resolve(textBody(200, "ok")), { connectionsMax: 5 });
    using connections = new DisposableStack();
    const open = async (): Promise<Connection> => connections.use(await Connection.open(server.address));
    const isServed = async (connection: Connection): Promise<boolean> => {
      await connection.send(requestBytes("GET", "/"));
      return (await connection.readReply("GET")).status === 200;
    };
    const first = await open();
    const others = await Promise.all([open(), open(), open(), open()]);
    for (const connection of [first, ...others]) assert.ok(await isServed(connection));
    for (let i = 0; i < 20; i++) assert.ok(await (await open()).atEnd());
    assert.ok(await isServed(first), "those who are in stay in");
    others[0]?.close();
    await eventually(async () => assert.ok(await isServed(await open())));
  });
}

const READS = 4;

/** Reads on connections that are open already; this starts reader workers. */
async function readOn(connections: readonly Connection[]): Promise<void> {
  const body = '{"query":"*"}';
  const pages = await Promise.all(connections.map(async (connection) => {
    await connection.send(requestBytes("QUERY", "/events", body));
    return parsePage(await connection.readReply("QUERY"));
  }));
  for (const { events, hasMore } of pages) assert.deepEqual([events.length, hasMore], [1, false]);
}

async function surviveFlood(server: ServerProcess, descriptorsMax: number): Promise<void> {
  const client = server.client();
  using connections = new DisposableStack();
  const inside: Connection[] = [];
  for (let i = 0; i < READS; i++) inside.push(connections.use(await Connection.open(server.address)));
  await client.append({ type: "t", payload: "acknowledged" });
  using flood = new Flood();
  await flood.rise(server.address, descriptorsMax * 3);
  await eventually(() => assert.ok(flood.closedByServer > descriptorsMax, "those over the cap are closed"));
  const descriptors = openDescriptors(server.pid);
  assert.ok(descriptors < descriptorsMax, `${descriptors} descriptors are open`);
  await readOn(inside);
  await pause(500);
  flood[Symbol.dispose]();
  const endedAt = performance.now();
  await eventually(async () => {
    assert.equal((await client.write({ events: [{ type: "t", payload: "after" }] })).status, 200);
  });
  const seconds = (performance.now() - endedAt) / 1000;
  assert.ok(seconds < 1, `normal service ${seconds.toFixed(2)} s after the flood`);
  const { events } = await client.queryEvents();
  assert.deepEqual(events.map(({ payload }) => payload), ["acknowledged", "after"]);
}

for (const descriptorsMax of [64, 256, 1024]) {
  Deno.test(`a flood of connections at ${descriptorsMax} descriptors takes nothing but connections`, async () => {
    // The shell that starts the program sets the limit.
    await using server = await startServer({ umask: `022 && ulimit -n ${descriptorsMax}` });
    await surviveFlood(server, descriptorsMax);
    assert.equal((await server.stop()).code, 0);
    assert.equal(server.stderr, "");
  });
}

Deno.test("when accepting itself fails for want of descriptors, it continues once there are some", async () => {
  await using server = await TransportProcess.start("ours", { descriptorsMax: 48 });
  using flood = new Flood();
  await flood.rise(server.address, 200);
  await eventually(() => assert.ok(openDescriptors(server.pid) >= 48, "none is left"));
  await pause(500);
  flood[Symbol.dispose]();
  const endedAt = performance.now();
  await eventually(async () => {
    using connection = await Connection.open(server.address);
    await connection.send(requestBytes("GET", "/"));
    assert.equal((await connection.readReply("GET")).status, 200);
  });
  const seconds = (performance.now() - endedAt) / 1000;
  assert.ok(seconds < 1, `served ${seconds.toFixed(2)} s after the flood`);
});
