import assert from "node:assert/strict";
import { parsePage } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { debugSnapshot } from "../../support/held_write_lock.ts";
import { startServer } from "../../support/server_process.ts";

const LINE_SECONDS = 30;

Deno.test("a client that reads nothing for over 30 s gets no trailer, and its memory and connection are released", async () => {
  await using server = await startServer();
  const client = server.client();
  const large = { type: "t", identifiers: {}, payload: "x".repeat(60_000) };
  for (let i = 0; i < 5; i++) await client.append(...Array(100).fill(large));
  using stalled = await client.begin("QUERY", "/events", { json: { query: "*" } });
  const head = await stalled.readHead();
  await pause((LINE_SECONDS - 5) * 1000);
  assert.equal((await debugSnapshot(client)).read.httpOpen, 1, "5 s before the time is up");
  // Time in which the machine holds up the server does not count, so the test waits longer.
  await eventually(async () => assert.equal((await debugSnapshot(client)).read.httpOpen, 0), 15);
  const page = parsePage(await stalled.readRest(head));
  assert.ok(page.reply.cutShort);
  assert.equal(page.hasMore, undefined);
  assert.ok(page.events.length < 500);
});
