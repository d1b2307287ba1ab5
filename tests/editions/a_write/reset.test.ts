import assert from "node:assert/strict";
import type { WriteResult } from "../../support/client.ts";
import { assertNoContent, assertPlainText, assertRejected, UUID } from "../../support/replies.ts";
import { startServer } from "../../support/server_process.ts";

const event = { type: "t", identifiers: { a: "1" }, payload: "" };

Deno.test("POST /reset deletes every event and projection, restarts at sequence 1 and draws a new store ID", async () => {
  await using server = await startServer({ env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  await client.append(event, event);
  const created = await client.write({ projections: { create: [{ type: "t", id: "a", payload: "" }] } });
  const version = created.json<WriteResult>().projections.create[0]?.version;
  const store = await client.storeId();

  assertNoContent(await client.request("POST", "/reset"));

  const page = await client.queryEvents();
  assert.deepEqual([page.events, page.hasMore], [[], false]);
  assert.match(page.store ?? "", UUID);
  assert.notEqual(page.store, store);
  assertRejected(await client.request("GET", "/projections/t/a"), 404, "ProjectionNotFound");
  assertRejected(
    await client.write({ conditions: [{ failIfEventsMatch: "*", afterSequence: 2, store }] }),
    409,
    "ConcurrencyException",
    "conditions[0] was read on another store",
  );
  assertRejected(
    await client.write({ projections: { delete: [{ type: "t", id: "a", version }] } }),
    409,
    "ConcurrencyException",
    "projections.delete[0] no longer has the given version",
  );
  const condition = { failIfEventsMatch: [{ identifiers: [{ name: "a", value: "1" }] }] };
  const written = await client.write({ events: [event], conditions: [condition] });
  assert.equal(written.json<WriteResult>().events[0]?.sequence, 1);
  assert.equal(written.headers.get("x-service-store"), page.store);

  await server.restart();
  assert.equal(await client.storeId(), page.store);
  assert.equal((await client.queryEvents()).events.length, 1);
});

Deno.test("every reset draws another store ID, and its body is ignored", async () => {
  await using server = await startServer({ env: { SERVICE_DEV_MODE: "true" } });
  const client = server.client();
  const stores = new Set<string>();
  for (let i = 0; i < 5; i++) {
    assertNoContent(await client.request("POST", "/reset", { body: "{ not JSON" }));
    stores.add(await client.storeId());
  }
  assert.equal(stores.size, 5);
});

Deno.test("with devMode off POST /reset and the profiling endpoints are unknown paths", async () => {
  await using server = await startServer();
  const client = server.client();
  await client.append(event);
  for (const method of ["POST", "GET"]) assertPlainText(await client.request(method, "/reset"), 404);
  for (const path of ["", "heap", "profile?seconds=1", "cmdline"]) {
    assertPlainText(await client.request("GET", `/debug/pprof/${path}`), 404);
  }
  assert.equal((await client.queryEvents()).events.length, 1);
});
