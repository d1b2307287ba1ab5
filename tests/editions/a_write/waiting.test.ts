import assert from "node:assert/strict";
import type { WriteResult } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { debugSnapshot, holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertRejected } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";

const server = sharedServer({
  listen: "tcp",
  env: { SERVICE_MAX_QUEUED_WRITES: "3" },
});
const client = server.client();

const event = (payload: string): unknown => ({ type: "t", identifiers: {}, payload });
const beginWrite = (payload: string): Promise<Connection> =>
  client.begin("POST", "/write", { json: { events: [event(payload)] } });

async function payloads(): Promise<string[]> {
  return (await client.queryEvents()).events.map((read) => read.payload);
}

Deno.test("queue entry: waiting -> its turn arrives -> active, one at a time in arrival order", async () => {
  using held = holdWriteLock(server);
  const writes = [client.append(event("0"))];
  await waitForQueue(client, 0);
  for (const i of [1, 2, 3]) {
    writes.push(client.append(event(String(i))));
    await waitForQueue(client, i);
  }
  assert.deepEqual(await payloads(), [], "a read does not wait, and does not see a running write");
  held.release();
  const sequences = (await Promise.all(writes)).map((result) => result.events[0]?.sequence);
  assert.deepEqual(sequences, [1, 2, 3, 4]);
  assert.deepEqual(await payloads(), ["0", "1", "2", "3"]);
});

Deno.test("a write sees earlier writes: of two that wait with one condition the second gets 409", async () => {
  using held = holdWriteLock(server);
  const active = client.append({ type: "other", identifiers: {}, payload: "" });
  await waitForQueue(client, 0);
  const write = { events: [event("x")], conditions: [{ failIfEventsMatch: [{ types: ["t"] }] }] };
  const first = client.write(write);
  await waitForQueue(client, 1);
  const second = client.write(write);
  await waitForQueue(client, 2);
  held.release();
  assert.equal((await first).status, 200);
  assertRejected(await second, 409, "ConcurrencyException", "conditions[0] no longer holds");
  await active;
});

Deno.test("a client that disconnects frees its slot in a full queue", async () => {
  using held = holdWriteLock(server);
  const active = client.append(event("active"));
  await waitForQueue(client, 0);
  const waiting = [await beginWrite("1"), await beginWrite("2"), await beginWrite("3")];
  await waitForQueue(client, 3);
  assertRejected(await client.write({ events: [event("rejected")] }), 503, "WriteQueueFull");
  waiting[1]?.close();
  await waitForQueue(client, 2);
  const joined = client.append(event("joined"));
  await waitForQueue(client, 3);
  held.release();
  await Promise.all([active, joined, waiting[0]?.readReply("POST"), waiting[2]?.readReply("POST")]);
  assert.deepEqual((await payloads()).toSorted(), ["1", "3", "active", "joined"]);
  for (const connection of waiting) connection.close();
});

Deno.test("queue at maxQueuedWrites on arrival: 503 WriteQueueFull on every endpoint with a turn", async () => {
  await client.write({ projections: { create: [{ type: "p", id: "kept", payload: "" }] } });
  using held = holdWriteLock(server);
  // The active write is not counted in maxQueuedWrites.
  const writes = [client.append(event("0"))];
  await waitForQueue(client, 0);
  for (const i of [1, 2, 3]) writes.push(client.append(event(String(i))));
  await waitForQueue(client, 3);
  const store = (await client.queryEvents()).store;
  assertRejected(await client.write({ events: [event("rejected")] }), 503, "WriteQueueFull");
  assertRejected(await client.write({ conditions: [{}] }), 503, "WriteQueueFull");
  for (
    const [method, target] of [["DELETE", "/projections"], ["DELETE", "/projections/p"], ["POST", "/reset"]]
  ) {
    assertRejected(await client.request(method ?? "", target ?? ""), 503, "WriteQueueFull");
  }
  assert.equal((await client.write({})).status, 200, "a write with nothing needs no turn");
  assert.equal((await client.write({ events: [{}] })).status, 400, "decoding comes before the queue");
  held.release();
  await Promise.all(writes);
  assert.deepEqual((await payloads()).toSorted(), ["0", "1", "2", "3"]);
  assert.equal((await client.queryEvents()).store, store);
  assert.equal((await client.request("GET", "/projections/p/kept")).status, 200);
});

Deno.test("reset: a client that disconnects while waiting removes it and nothing is deleted", async () => {
  await client.append(event("kept"));
  using held = holdWriteLock(server);
  const active = client.append(event("active"));
  await waitForQueue(client, 0);
  const leaving = await client.begin("POST", "/reset", { json: {} });
  await waitForQueue(client, 1);
  leaving.close();
  await waitForQueue(client, 0);
  held.release();
  await active;
  assert.deepEqual(await payloads(), ["kept", "active"]);
});

Deno.test("reset: writes queued before it run first, writes queued after it run on the new store", async () => {
  const store = await client.storeId();
  const created = await client.write({ projections: { create: [{ type: "p", id: "1", payload: "" }] } });
  const version = created.json<WriteResult>().projections.create[0]?.version;
  using held = holdWriteLock(server);
  const before = client.append(event("before"));
  await waitForQueue(client, 0);
  const resetting = client.request("POST", "/reset");
  await waitForQueue(client, 1);
  assert.equal((await debugSnapshot(client)).write.queued[0]?.kind, "reset");
  const condition = { failIfEventsMatch: [{ types: ["none"] }], afterSequence: 99, store };
  const onOldStore = client.write({ events: [event("old")], conditions: [condition] });
  await waitForQueue(client, 2);
  const afterwards = client.write({ events: [event("new")], conditions: [{ failIfEventsMatch: "*" }] });
  await waitForQueue(client, 3);
  held.release();
  assert.equal((await before).events[0]?.sequence, 1);
  assert.equal((await resetting).status, 204);
  assertRejected(await onOldStore, 409, "ConcurrencyException", "conditions[0] was read on another store");
  const written = await afterwards;
  assert.equal(written.json<WriteResult>().events[0]?.sequence, 1);
  assert.notEqual(written.headers.get("x-service-store"), store);
  assert.deepEqual(await payloads(), ["new"]);
  const replace = [{ type: "p", id: "1", version, payload: "" }];
  assert.equal((await client.write({ projections: { replace } })).status, 409);
});

Deno.test("write.httpOpen falls back to 0 when all clients were answered or have disconnected", async () => {
  await eventually(async () => {
    const { write, read } = await debugSnapshot(client);
    assert.deepEqual([write.httpOpen, write.queued.length, write.active, read.httpOpen], [0, 0, null, 0]);
  });
});
