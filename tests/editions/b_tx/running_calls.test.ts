import assert from "node:assert/strict";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { append, assertEnded, begin, editionB, event, payloads, statistics, type Tx } from "./client.ts";

const server = sharedServer(editionB({ SERVICE_TX_IDLE_TIMEOUT: "30" }));
const client = server.client();
Deno.test.afterEach(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));

/** Asserts with a call that changes nothing that another call of the transaction runs. */
async function isBusy(tx: Tx): Promise<void> {
  assertRejected(await tx.get("p", "none"), 409, "TransactionBusy", /./);
}

/** Begins a call whose body lacks its last bytes, and waits until it runs. */
async function beginUnfinished(tx: Tx, json: unknown): Promise<{ connection: Connection; rest: Uint8Array }> {
  const connection = await Connection.open(client.address);
  const bytes = client.bytesOf("POST", `/tx/${tx.id}/projections`, { json });
  await connection.send(bytes.subarray(0, -5));
  await eventually(() => isBusy(tx));
  return { connection, rest: bytes.subarray(-5) };
}

Deno.test("open -> second call while one runs -> open, the second gets 409 TransactionBusy", async () => {
  const tx = await begin(client);
  const create = [{ type: "p", id: "1", payload: "kept" }];
  const unfinished = await beginUnfinished(tx, { create });
  using running = unfinished.connection;
  const message = "another call is running on this transaction";
  const busy = async (): Promise<void> => {
    for (
      const [method, rest, body] of [
        ["QUERY", "/events", "{"],
        ["POST", "/events", ""],
        ["GET", "/projections/p/1", ""],
        ["POST", "/projections", "x".repeat(9_000_000)],
        ["POST", "/commit", ""],
        ["DELETE", "", ""],
      ] as const
    ) {
      assertRejected(await tx.call(method, rest, { body }), 409, "TransactionBusy", message);
    }
  };
  await busy();
  await running.send(unfinished.rest);
  expectStatus(await running.readReply("POST"), 200);
  assertNoContent(await tx.commit());
  assert.equal((await client.request("GET", "/projections/p/1")).text, "kept");
});

Deno.test("a read whose client is slow is a running call: TransactionBusy, DELETE included", async () => {
  for (let i = 0; i < 3; i++) await append(client, ...Array(100).fill(event("t", "x".repeat(60_000))));
  const tx = await begin(client);
  using slow = await client.begin("QUERY", `/tx/${tx.id}/events`, { json: { query: "all" } });
  const head = await slow.readHead();
  assertRejected(await tx.write(), 409, "TransactionBusy", /./);
  assertRejected(await tx.abandon(), 409, "TransactionBusy", /./);
  const read = await slow.readRest(head);
  assert.equal(read.text.split("\n").length, 302);
  expectStatus(await tx.write(), 200);
  assertNoContent(await tx.commit());
});

Deno.test("a read cut short leaves the condition open", async () => {
  for (let i = 0; i < 3; i++) await append(client, ...Array(100).fill(event("t", "x".repeat(60_000))));
  const tx = await begin(client);
  const cut = await client.begin("QUERY", `/tx/${tx.id}/events`, { json: { query: "all" } });
  await cut.readHead();
  cut.close();
  await eventually(async () => {
    const reply = await tx.get("p", "1");
    assertRejected(reply, 400, "InvalidRequest", /^after a read of events/);
  });
  await assertEnded(tx);
});

Deno.test("a commit runs even if its client disconnects while it waits", async () => {
  const tx = await begin(client);
  await tx.decide("all", event("t", "written"));
  const held = holdWriteLock(server);
  try {
    using _active = await client.begin("POST", "/optimize");
    await pause(50);
    const leaving = await client.begin("POST", `/tx/${tx.id}/commit`);
    await eventually(() => isBusy(tx));
    leaving.close();
    await pause(100);
    assert.equal((await statistics(client)).pause.openTransactions, 1, "still open while its commit waits");
  } finally {
    held.release();
  }
  await eventually(async () => assert.deepEqual(await payloads(client), ["written"]));
  await assertEnded(tx);
});

Deno.test("a client that disconnects within the body of a call leaves the transaction open, and the call undone", async () => {
  const tx = await begin(client);
  const create = [{ type: "p", id: "1", payload: "" }];
  (await beginUnfinished(tx, { create })).connection.close();
  await eventually(async () => assertRejected(await tx.get("p", "1"), 404, "ProjectionNotFound"));
  assertNoContent(await tx.abandon());
});
