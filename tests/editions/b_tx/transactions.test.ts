import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP, UUID } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  append,
  assertEnded,
  begin,
  createProjection,
  emptyStore,
  event,
  payloads,
  startEditionB,
  statistics,
  Tx,
  txLines,
} from "./client.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionB({ SERVICE_TX_IDLE_TIMEOUT: "30" });
  client = server.client();
});
Deno.test.beforeEach(() => emptyStore(client));
Deno.test.afterEach(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

/** Every call except a write of events. They are illegal on a transaction with an open condition. */
const CALLS_BUT_WRITES: readonly (readonly [string, (tx: Tx) => ReturnType<Tx["commit"]>])[] = [
  ["read of a projection", (tx) => tx.get("p", "1")],
  ["write of projections", (tx) => tx.change({ create: [{ type: "p", id: "1", payload: "" }] })],
  ["second read", (tx) => tx.read("all")],
  ["commit", (tx) => tx.commit()],
];

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

Deno.test("open -> QUERY events, no condition open -> condition open: only a write of events is legal", async () => {
  for (const [name, call] of CALLS_BUT_WRITES) {
    const tx = await begin(client);
    txLines(await tx.read("all"));
    assertRejected(await call(tx), 400, "InvalidRequest", /^after a read of events/);
    await assertEnded(tx);
    assert.deepEqual(await payloads(client), [], name);
  }
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

Deno.test("open, condition open -> POST of no events -> condition closed, still checked at commit", async () => {
  const tx = await begin(client);
  await tx.decide([{ types: ["t"] }]);
  await append(client, event("t"));
  expectStatus(await tx.change({ create: [{ type: "p", id: "1", payload: "" }] }), 200);
  assertRejected(await tx.commit(), 409, "ConcurrencyException", "conditions[0] no longer holds");
});

Deno.test("open -> POST events with no open condition -> ended, 400", async () => {
  const fresh = await begin(client);
  assertRejected(await fresh.write(event("t")), 400, "InvalidRequest", /read of events/);
  await assertEnded(fresh);
  const decided = await begin(client);
  await decided.decide("all", event("t"));
  assertRejected(await decided.write(), 400, "InvalidRequest", /read of events/);
  await assertEnded(decided);
  assert.deepEqual(await payloads(client), []);
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

Deno.test("open -> commit, a check fails -> ended, 409, nothing written", async () => {
  const tx = await begin(client);
  await tx.decide("none", event("t", "not written"));
  await tx.decide([{ types: ["t"] }]);
  expectStatus(await tx.change({ create: [{ type: "p", id: "1", payload: "" }] }), 200);
  await append(client, event("t", "between"));
  assertRejected(await tx.commit(), 409, "ConcurrencyException", "conditions[1] no longer holds");
  await assertEnded(tx);
  assert.deepEqual(await payloads(client), ["between"]);
  assert.equal((await client.request("GET", "/projections/p/1")).status, 404);
});

Deno.test("open -> DELETE -> ended, 204, nothing written; ended -> DELETE -> 204", async () => {
  const tx = await begin(client);
  await tx.decide("all", event("t"));
  expectStatus(await tx.change({ create: [{ type: "p", id: "1", payload: "" }] }), 200);
  assertNoContent(await tx.abandon());
  await assertEnded(tx);
  assertNoContent(await tx.abandon());
  assert.deepEqual(await payloads(client), []);
  assert.equal((await client.request("GET", "/projections/p/1")).status, 404);
  assert.equal((await statistics(client)).transactions.abandoned > 0, true);
});

Deno.test("open, condition open -> DELETE -> ended, 204", async () => {
  const tx = await begin(client);
  txLines(await tx.read("all"));
  assertNoContent(await tx.abandon());
  await assertEnded(tx);
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

Deno.test("open -> 404 ProjectionNotFound -> open", async () => {
  const tx = await begin(client);
  assertRejected(await tx.get("p", "1"), 404, "ProjectionNotFound");
  await tx.decide("all", event("t", "goes on"));
  assertNoContent(await tx.commit());
  assert.deepEqual(await payloads(client), ["goes on"]);
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
