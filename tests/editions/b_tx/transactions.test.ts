import assert from "node:assert/strict";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import {
  append,
  assertEnded,
  begin,
  createProjection,
  editionB,
  event,
  payloads,
  statistics,
  Tx,
  txLines,
} from "./client.ts";

const server = sharedServer(editionB({ SERVICE_TX_IDLE_TIMEOUT: "30" }));
const client = server.client();
Deno.test.afterEach(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));

/* `tx_sequences.test.ts` plays every row of the table. These are the details of some rows, over HTTP. */

Deno.test("(none) -> POST /tx, not paused -> open, txId returned", async () => {
  const reply = await client.request("POST", "/tx", { body: "ignored" });
  expectStatus(reply, 200);
  assert.equal(reply.headers.get("content-type"), "application/json");
  const { txId, ...others } = reply.json<{ txId: string }>();
  assert.match(txId, UUID);
  assert.deepEqual(others, {});
  assert.equal((await statistics(client)).pause.openTransactions, 1);
  assertNoContent(await new Tx(client, txId).abandon());
});

Deno.test("open, condition open -> POST events -> condition closed, events pending, {time} returned", async () => {
  const tx = await begin(client);
  txLines(await tx.read("all"));
  const reply = expectStatus(await tx.write(event("t", "pending")), 200);
  assert.deepEqual(Object.keys(reply.json()), ["time"]);
  assert.match(reply.json<{ time: string }>().time, TIMESTAMP);
  assert.deepEqual(await payloads(client), [], "no read sees them before the commit");
  assertRejected(await tx.get("p", "1"), 404, "ProjectionNotFound");
  assertNoContent(await tx.commit());
  const [written] = (await client.queryEvents("all")).events;
  assert.equal(written?.time, reply.json<{ time: string }>().time);
  assert.equal(written?.sequence, 1);
});

Deno.test("open -> commit, everything holds -> ended, 204, everything written", async () => {
  await createProjection(client, "p", "replaced", "old");
  await createProjection(client, "p", "deleted", "old");
  const tx = await begin(client);
  await tx.decide("all", event("a", "1"), event("b", "2"));
  for (const id of ["replaced", "deleted"]) assert.equal((await tx.get("p", id)).text, "old");
  await tx.decide([{ types: ["other"] }], event("c", "3"));
  const reply = await tx.change({
    create: [{ type: "p", id: "created", payload: "new" }],
    replace: [{ type: "p", id: "replaced", payload: "new" }],
    delete: [{ type: "p", id: "deleted" }],
  });
  assert.match(reply.json<{ time: string }>().time, TIMESTAMP);
  assertNoContent(await tx.commit());
  await assertEnded(tx);
  const { events } = await client.queryEvents("all");
  assert.deepEqual(events.map(({ sequence, payload }) => `${sequence} ${payload}`), ["1 1", "2 2", "3 3"]);
  assert.equal(events[0]?.time, events[1]?.time, "the events of one write share their time");
  assert.notEqual(events[1]?.time, events[2]?.time);
  for (const id of ["created", "replaced"]) {
    assert.equal((await client.request("GET", `/projections/p/${id}`)).text, "new");
  }
  assert.equal((await client.request("GET", "/projections/p/deleted")).status, 404);
});

Deno.test("ended -> any call except DELETE -> 404 TransactionNotFound, whatever the body", async () => {
  const over = await begin(client);
  assertNoContent(await over.commit());
  const unknown = [over, new Tx(client, crypto.randomUUID()), new Tx(client, "no%20UUID")];
  for (const tx of unknown) {
    const calls = [
      ["QUERY", "/events"],
      ["POST", "/events"],
      ["GET", "/projections/p/1"],
      ["POST", "/projections"],
      ["POST", "/commit"],
    ] as const;
    for (const [method, rest] of calls) {
      for (const body of ["", "{", '{"events":[]}', "x".repeat(9_000_000)]) {
        if (body.length > 100 && (tx !== over || method === "GET")) continue;
        assertRejected(await tx.call(method, rest, { body }), 404, "TransactionNotFound");
      }
    }
    assertNoContent(await tx.abandon());
  }
});

Deno.test("open -> any error except ProjectionNotFound -> ended: malformed body, invalid item, size", async () => {
  const bad: readonly (readonly [number, string, string, string])[] = [
    [400, "QUERY", "/events", "{"],
    [400, "QUERY", "/events", '{"query":"*"}'],
    [400, "QUERY", "/events", '{"query":"all","limit":1}'],
    [400, "QUERY", "/events", '{"query":"all","query":"all"}'],
    [400, "POST", "/projections", "{}"],
    [400, "POST", "/projections", '{"create":[{"type":"p","id":"1"}]}'],
    [400, "POST", "/projections", '{"delete":[{"type":"p","id":"1","version":"v"}]}'],
    [
      413,
      "POST",
      "/projections",
      JSON.stringify({
        create: [{ type: "p", id: "1", payload: "x".repeat(65536) }],
      }),
    ],
  ];
  for (const [status, method, rest, body] of bad) {
    const tx = await begin(client);
    const error = status === 413 ? "PayloadTooLarge" : "InvalidRequest";
    assertRejected(await tx.call(method, rest, { body }), status, error, /./);
    await assertEnded(tx);
  }
  for (
    const [status, body] of [[400, '{"events":[{}]}'], [400, "[]"], [400, '{"events":[],"x":1}']] as const
  ) {
    const tx = await begin(client);
    txLines(await tx.read("none"));
    assertRejected(await tx.call("POST", "/events", { body }), status, "InvalidRequest", /./);
    await assertEnded(tx);
  }
});

Deno.test("a commit with nothing to write answers 204 without a turn and without checks", async () => {
  await createProjection(client, "p", "1", "old");
  const tx = await begin(client);
  await tx.decide([{ types: ["t"] }]);
  expectStatus(await tx.get("p", "1"), 200);
  await append(client, event("t"));
  expectStatus(await client.request("DELETE", "/projections"), 204);
  using _held = holdWriteLock(server);
  using _active = await client.begin("POST", "/optimize");
  assertNoContent(await tx.commit());
  await assertEnded(tx);
});

Deno.test("the header of the store is on no transaction endpoint", async () => {
  await createProjection(client, "p", "1");
  const begun = await client.request("POST", "/tx");
  const tx = new Tx(client, begun.json<{ txId: string }>().txId);
  const replies = [
    begun,
    await tx.read("all"),
    await tx.write(event("t")),
    await tx.get("p", "1"),
    await tx.get("p", "2"),
    await tx.change({ replace: [{ type: "p", id: "1", payload: "" }] }),
    await tx.commit(),
    await tx.abandon(),
  ];
  assert.deepEqual(replies.map(({ status }) => status), [200, 200, 200, 200, 404, 200, 204, 204]);
  for (const { headers } of replies) {
    assert.equal(headers.has("x-service-store"), false);
    assert.equal(headers.has("x-service-version"), false);
  }
});
