import assert from "node:assert/strict";
import { Connection, requestBytes } from "../../bench/connection.ts";
import { readsOf, waitInVain } from "../../bench/workloads/writes_with_readers.ts";
import { WaitingReaders } from "../../bench/workloads/waiting_readers.ts";
import { eventually } from "../support/eventually.ts";
import { sharedServer } from "../support/server_process.ts";

const READERS = 5;
const server = sharedServer();

Deno.test("readers in vain are with the server until they are disposed of", async () => {
  using connection = await Connection.open(server.address);
  {
    await using _readers = await waitInVain(server.address, READERS);
    assert.equal(await readsOf(connection), READERS);
  }
  await eventually(async () => assert.equal(await readsOf(connection), 0));
});

Deno.test("the failure of a reader is reported when the readers are disposed of", async () => {
  using connection = await Connection.open(server.address);
  const reads = (count: number): Promise<void> =>
    eventually(async () => assert.equal(await readsOf(connection), count));
  const readers = await WaitingReaders.start(server.address, READERS, async (connection, reader) => {
    await connection.request(requestBytes("QUERY", "/events", '{"query":"*","waitSeconds":60}'));
    throw new Error(`reader ${reader} has an event`);
  });
  await reads(READERS);
  assert.equal(readers.haveFailed, false);
  await server.client().append({ type: "t", payload: "" });
  await reads(0);
  await eventually(() => assert.equal(readers.haveFailed, true));
  await assert.rejects(readers[Symbol.asyncDispose](), /^Error: reader \d has an event$/);
});
