import assert from "node:assert/strict";
import type { WriteResult } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertRejected, TIMESTAMP, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";

const server = sharedServer({
  listen: "unix",
  env: { SERVICE_MAX_PROJECTIONS_PER_WRITE: "7" },
});
const client = server.client();

const opened = { type: "opened", identifiers: { account: "1" }, payload: "p" };
const empty = { events: [], projections: { create: [], replace: [] } };

Deno.test("the 200 of POST /write lists events, created and replaced versions in the order sent", async () => {
  const first = await client.write({ projections: { create: [{ type: "t", id: "old", payload: "" }] } });
  const version = first.json<WriteResult>().projections.create[0]?.version ?? "";
  const reply = await client.write({
    events: [opened, opened],
    projections: {
      create: [{ type: "t", id: "b", payload: "b" }, { type: "t", id: "a", payload: "a" }],
      replace: [{ type: "t", id: "old", version, payload: "new" }],
    },
  });
  assert.equal(reply.status, 200, reply.text);
  assert.equal(reply.headers.get("content-type"), "application/json");
  assert.equal(reply.headers.get("x-service-store"), await client.storeId());
  const result = reply.json<WriteResult>();
  const time = result.events[0]?.time ?? "";
  assert.match(time, TIMESTAMP);
  assert.deepEqual(result.events, [{ sequence: 1, time }, { sequence: 2, time }]);
  assert.deepEqual(Object.keys(result).sort(), ["events", "projections"]);
  assert.deepEqual(Object.keys(result.projections).sort(), ["create", "replace"]);
  assert.equal(result.projections.create.length, 2);
  for (const [i, id] of ["b", "a"].entries()) {
    const read = await client.request("GET", `/projections/t/${id}`);
    assert.deepEqual(result.projections.create[i], { version: read.headers.get("x-service-version") });
    assert.equal(read.text, id);
  }
  const replaced = await client.request("GET", "/projections/t/old");
  assert.deepEqual(result.projections.replace, [{ version: replaced.headers.get("x-service-version") }]);
  assert.match(replaced.headers.get("x-service-version") ?? "", UUID);
  assert.notEqual(replaced.headers.get("x-service-version"), version);
});

Deno.test("time is when the server received the write, and its events read back with it", async () => {
  const before = Date.now();
  const result = await client.append(opened, opened);
  const time = result.events[0]?.time ?? "";
  assert.ok(Date.parse(time) >= before - 1 && Date.parse(time) <= Date.now() + 1, time);
  assert.deepEqual((await client.queryEvents()).events.map((event) => event.time), [time, time]);
});

Deno.test("rule 4: a write with nothing answers 200 at once, without waiting for a turn", async () => {
  using held = holdWriteLock(server);
  const active = client.append(opened);
  await waitForQueue(client, 0);
  const bodies = [{}, { events: [] }, { events: null, conditions: null, projections: null }, {
    events: [],
    conditions: [],
    projections: { create: [], replace: [], delete: null },
  }];
  for (const body of bodies) {
    const reply = await client.write(body);
    assert.equal(reply.status, 200, reply.text);
    assert.deepEqual(reply.json(), empty);
    assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  }
  held.release();
  await active;
});

Deno.test("rule 3: an invalid write is rejected at once, without waiting for a turn", async () => {
  using held = holdWriteLock(server);
  const active = client.append(opened);
  await waitForQueue(client, 0);
  assertRejected(
    await client.write({ events: [{ ...opened, type: "" }] }),
    400,
    "InvalidRequest",
    /^events\[0\]/,
  );
  held.release();
  await active;
  assert.equal((await client.queryEvents()).events.length, 1);
});

Deno.test("rule 5: conditions are checked even when the write carries nothing else", async () => {
  await client.append(opened);
  const query = [{ types: ["opened"] }];
  assertRejected(
    await client.write({ conditions: [{ failIfEventsMatch: query }] }),
    409,
    "ConcurrencyException",
    "conditions[0] no longer holds",
  );
  const holds = await client.write({ conditions: [{ failIfEventsMatch: [{ types: ["closed"] }] }] });
  assert.equal(holds.status, 200);
  assert.deepEqual(holds.json(), empty);
});

Deno.test("lost response: without anything that the retry checks it is written twice", async () => {
  await client.append(opened);
  await client.append(opened);
  assert.equal((await client.queryEvents()).events.length, 2);
});

const invalid = (reply: Reply, message: string): void =>
  assertRejected(reply, 400, "InvalidRequest", message);

Deno.test("maxEventsPerWrite: 100 events and 100 conditions are taken, 101 of either rejected", async () => {
  const events = Array(100).fill(opened);
  const conditions = Array(100).fill({});
  assert.equal((await client.write({ events, conditions })).status, 200);
  invalid(
    await client.write({ events: [...events, opened] }),
    "request carries 101 events, more than maxEventsPerWrite (100)",
  );
  invalid(
    await client.write({ conditions: [...conditions, {}] }),
    "request carries 101 conditions, more than maxEventsPerWrite (100)",
  );
});

Deno.test("maxProjectionsPerWrite counts across the three lists", async () => {
  const create = (count: number, name: string): unknown[] =>
    Array.from({ length: count }, (_, id) => String(id)).map((id) => ({ type: name, id, payload: "" }));
  assert.equal((await client.write({ projections: { create: create(7, "seven") } })).status, 200);
  const projections = {
    create: create(3, "more"),
    replace: [{ type: "a", id: "1", version: "v", payload: "" }],
    delete: ["1", "2", "3", "4"].map((id) => ({ type: "b", id, version: "v" })),
  };
  invalid(
    await client.write({ projections }),
    "request carries 8 projections, more than maxProjectionsPerWrite (7)",
  );
});
