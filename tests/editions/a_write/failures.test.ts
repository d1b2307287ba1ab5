import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { failWrites } from "../../support/failing_writes.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";
import { hideDatabase } from "../../support/hidden_database.ts";

const event = { type: "t", identifiers: {}, payload: "" };

Deno.test("GET /health is 503 Unavailable when the database cannot be reached", async () => {
  await using server = await startServer({ listen: "unix" });
  hideDatabase(server);
  assertRejected(await server.client().request("GET", "/health"), 503, "Unavailable", /./);
});

Deno.test("a write that fails in the database is 500 InternalError, changes nothing and spoils no later one", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  await client.append(event);
  {
    using _failing = failWrites(server);
    assertRejected(await client.write({ events: [event] }), 500, "InternalError", /./);
  }
  assert.equal((await client.append(event)).events[0]?.sequence, 2);
  assert.equal((await client.queryEvents()).events.length, 2);
  await eventually(() => assert.match(server.stdout, /\[ERROR\] POST \/write 500 /));
});

const malformed: readonly [what: string, text: string, status: number][] = [
  ["no HTTP at all", "not HTTP at all\r\n\r\n", 400],
  ["a header line without colon", "GET /health HTTP/1.1\r\nhost: x\r\nbad line\r\n\r\n", 400],
  ["a length that is no number", "POST /write HTTP/1.1\r\nhost: x\r\ncontent-length: x\r\n\r\n", 400],
  ["a head over 64 KiB", `GET /health HTTP/1.1\r\nhost: x\r\nlong: ${"x".repeat(70_000)}\r\n\r\n`, 431],
];
for (const [what, text, status] of malformed) {
  Deno.test(`${what} is rejected with ${status} in plain text, the server keeps running`, async () => {
    await using server = await startServer();
    using connection = await Connection.open(server.address);
    await connection.send(text);
    assertPlainText(await connection.readReply("GET"), status);
    assert.equal(await connection.atEnd(), true, "the connection is closed");
    assert.equal((await server.client().request("GET", "/health")).status, 200);
  });
}

Deno.test("a client that disconnects in the middle of its body changes nothing", async () => {
  await using server = await startServer();
  const client = server.client();
  const write = client.bytesOf("POST", "/write", { json: { events: [event] } });
  for (const bytes of [1, 30, write.length - 40, write.length - 1]) {
    using connection = await Connection.open(server.address);
    await connection.send(write.subarray(0, bytes));
  }
  await eventually(async () => {
    const { write } = await debugSnapshot(client);
    assert.deepEqual([write.active, write.queued, write.httpOpen], [null, [], 0]);
  });
  assert.equal((await client.append(event)).events[0]?.sequence, 1);
});
