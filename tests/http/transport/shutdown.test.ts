import assert from "node:assert/strict";
import type { Handler } from "../../../src/http/exchange.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { startServer } from "../../support/server_process.ts";
import { KINDS, listening } from "./support/listening.ts";
import { requestBytes, textBody, within } from "./support/requests.ts";

/** A handler that answers once `open` resolves, and counts the requests that it has begun. */
class Gate {
  readonly open = Promise.withResolvers<void>();
  begun = 0;
  left = 0;

  readonly handler: Handler = async (request) => {
    if (request.target === "/at-once") return textBody(200, "at once");
    this.begun++;
    request.disconnected.addEventListener("abort", () => this.left++);
    await this.open.promise;
    return textBody(200, "done");
  };
}

async function seconds(run: () => Promise<void>): Promise<number> {
  const startedAt = performance.now();
  await run();
  return (performance.now() - startedAt) / 1000;
}

for (const kind of KINDS) {
  Deno.test(`closing ends connections without a request at once (${kind})`, async () => {
    const gate = new Gate();
    await using server = listening(kind, gate.handler);
    using silent = await Connection.open(server.address);
    using idle = await Connection.open(server.address);
    using halfHead = await Connection.open(server.address);
    await idle.send(requestBytes("GET", "/at-once"));
    await idle.readReply("GET");
    await halfHead.send("GET / HTT");
    await pause(50);
    assert.ok(await seconds(() => server.transport.close(5000)) < 0.5, "nobody is waited for");
    for (const connection of [silent, idle, halfHead]) assert.ok(await connection.atEnd());
    await assert.rejects(Connection.open(server.address), "nobody listens any more");
  });

  Deno.test(`closing lets running requests finish, and starts no others (${kind})`, async () => {
    const gate = new Gate();
    await using server = listening(kind, gate.handler);
    using running = await Connection.open(server.address);
    using idle = await Connection.open(server.address);
    // The second request was sent ahead. Its client gets a closed connection and may send it again.
    await running.send(requestBytes("GET", "/"));
    await running.send(requestBytes("GET", "/"));
    await idle.send(requestBytes("GET", "/at-once"));
    await idle.readReply("GET");
    await eventually(() => assert.equal(gate.begun, 1));
    let closed = false;
    const closing = server.transport.close(5000).then(() => closed = true);
    assert.ok(await idle.atEnd());
    await pause(300);
    assert.equal(closed, false, "a request still runs");
    await assert.rejects(Connection.open(server.address));
    gate.open.resolve();
    const reply = await running.readReply("GET");
    assert.deepEqual([reply.text, reply.headers.get("connection")], ["done", "close"]);
    assert.ok(await running.atEnd());
    await within(0.5, closing, "everything has ended");
    assert.deepEqual([gate.begun, gate.left], [1, 0]);
  });

  Deno.test(`closing cuts requests that still run when its time is up (${kind})`, async () => {
    const gate = new Gate();
    await using server = listening(kind, gate.handler);
    using running = await Connection.open(server.address);
    await running.send(requestBytes("GET", "/"));
    await eventually(() => assert.equal(gate.begun, 1));
    const took = await seconds(() => server.transport.close(700));
    assert.ok(took > 0.65 && took < 1.5, `closing took ${took.toFixed(2)} s, 0.7 s were given`);
    assert.ok(await running.atEnd());
    await eventually(() => assert.equal(gate.left, 1));
  });

  Deno.test(`closing lets a stream run to its end, but not one that is not read (${kind})`, async () => {
    async function* body(): AsyncGenerator<Uint8Array<ArrayBuffer>> {
      for (let i = 0; i < 400; i++) yield await Promise.resolve(new Uint8Array(64 * 1024));
    }
    await using server = listening(kind, () => Promise.resolve({ status: 200, headers: {}, body: body() }));
    using reading = await Connection.open(server.address);
    using stalled = await Connection.open(server.address);
    for (const connection of [reading, stalled]) await connection.send(requestBytes("GET", "/"));
    const head = await reading.readHead();
    await stalled.readHead();
    const closing = seconds(() => server.transport.close(1500));
    const reply = await reading.readRest(head);
    assert.deepEqual([reply.cutShort, reply.body.length], [false, 400 * 64 * 1024]);
    const took = await closing;
    assert.ok(took > 1.4 && took < 2.5, `closing took ${took.toFixed(2)} s, 1.5 s were given`);
  });
}

Deno.test("SIGTERM: a reader that has stalled holds the program up for 10 s and no longer", async () => {
  await using server = await startServer();
  const client = server.client();
  for (let i = 0; i < 3; i++) {
    await client.append(...Array(100).fill({ type: "t", payload: "x".repeat(60_000) }));
  }
  using stalled = await client.begin("QUERY", "/events", { json: { query: "*" } });
  await stalled.readHead();
  server.signal("SIGTERM");
  let code: number | undefined;
  const took = await seconds(async () => {
    code = (await server.ended(13)).code;
  });
  assert.equal(code, 0);
  assert.ok(took > 9 && took < 12, `it took ${took.toFixed(1)} s`);
});
