import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { failWrites } from "../../support/failing_writes.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { assertRejected } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";

const event = { type: "t", identifiers: {}, payload: "" };

Deno.test("a write that fails in the database is 500 InternalError; it, or one whose client disconnects in its body, changes nothing and spoils no later one", async () => {
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

  // So does a client that disconnects in the middle of its body.
  const write = client.bytesOf("POST", "/write", { json: { events: [event] } });
  for (const bytes of [1, 30, write.length - 40, write.length - 1]) {
    using connection = await Connection.open(server.address);
    await connection.send(write.subarray(0, bytes));
  }
  await eventually(async () => {
    const { write } = await debugSnapshot(client);
    assert.deepEqual([write.active, write.queued, write.httpOpen], [null, [], 0]);
  });
  assert.equal((await client.append(event)).events[0]?.sequence, 3);
});
