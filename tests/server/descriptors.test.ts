import assert from "node:assert/strict";
import { freeDescriptors, shareDescriptors } from "../../src/server/descriptors.ts";
import { eventually } from "../support/eventually.ts";
import { openDescriptors } from "../http/transport/support/transport_process.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

const READERS = 8;

Deno.test("readers come first but take no more than half of what is free", () => {
  for (let free = 0; free < 4000; free++) {
    const { readers, connections } = shareDescriptors(free, READERS);
    assert.ok(readers >= 1 && readers <= READERS, `${free} free: ${readers} readers`);
    assert.ok(connections >= 1 && connections <= 2000, `${free} free: ${connections} connections`);
    if (readers > 1) assert.ok(10 * readers <= free / 2, `${free} free: ${readers} readers`);
    if (connections > 1) assert.ok(10 * readers + connections < free, `${free} free: something is left`);
  }
});

Deno.test("with plenty of descriptors there are all readers and 2000 connections", () => {
  assert.deepEqual(shareDescriptors(20_000, READERS), { readers: READERS, connections: 2000 });
  assert.deepEqual(shareDescriptors(2199, READERS), { readers: READERS, connections: 2000 });
});

Deno.test("looking for free descriptors gives all of them back", () => {
  const before = openDescriptors(Deno.pid);
  assert.ok(freeDescriptors(READERS) > 0);
  assert.equal(openDescriptors(Deno.pid), before);
});

/** Lets so many pages be read at once, so that so many readers are started. */
async function startReaders(server: ServerProcess): Promise<void> {
  await Promise.all(Array.from({ length: 4 * READERS }, () => server.client().queryEvents()));
}

Deno.test("a server's workers take no more descriptors than are set aside for them", async () => {
  const more = navigator.hardwareConcurrency;
  await using alone = await startServer({ env: { SERVICE_READ_POOL_SIZE: "1" } });
  await using server = await startServer({ env: { SERVICE_READ_POOL_SIZE: String(1 + more) } });
  for (const each of [alone, server]) await each.client().append({ type: "t", payload: "" });
  await startReaders(alone);
  const withOneReader = openDescriptors(alone.pid);
  await eventually(async () => {
    await startReaders(server);
    const perReader = (openDescriptors(server.pid) - withOneReader) / more;
    assert.ok(perReader > 4 && perReader <= 10, `a reader takes ${perReader} descriptors`);
  });
});
