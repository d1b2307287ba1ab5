import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP, UUID } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import {
  append,
  begin,
  createProjection,
  emptyStore,
  event,
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

async function payloads(): Promise<string[]> {
  return (await client.queryEvents("all")).events.map((read) => read.payload);
}

async function assertEnded(tx: Tx): Promise<void> {
  assertRejected(await tx.read("all"), 404, "TransactionNotFound");
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
}

/** Each call that is not a write of events, on a transaction with an open condition. */
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
    assert.deepEqual(await payloads(), [], name);
  }
});

Deno.test("open, condition open -> POST events -> condition closed, events pending, {time} returned", async () => {
  const tx = await begin(client);
  txLines(await tx.read("all"));
  const reply = expectStatus(await tx.write(event("t", "pending")), 200);
  assert.deepEqual(Object.keys(reply.json()), ["time"]);
  assert.match(reply.json<{ time: string }>().time, TIMESTAMP);
  assert.deepEqual(await payloads(), [], "nobody sees them before the commit");
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
  assert.deepEqual(await payloads(), []);
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
  assert.deepEqual(await payloads(), ["between"]);
  assert.equal((await client.request("GET", "/projections/p/1")).status, 404);
});

Deno.test("open -> DELETE -> ended, 204, nothing written; ended -> DELETE -> 204", async () => {
  const tx = await begin(client);
  await tx.decide("all", event("t"));
  expectStatus(await tx.change({ create: [{ type: "p", id: "1", payload: "" }] }), 200);
  assertNoContent(await tx.abandon());
  await assertEnded(tx);
  assertNoContent(await tx.abandon());
  assert.deepEqual(await payloads(), []);
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
  assert.deepEqual(await payloads(), ["goes on"]);
});

/** Asks with a call that changes nothing. */
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

Deno.test("a commit runs even if its client leaves while it waits", async () => {
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
  await eventually(async () => assert.deepEqual(await payloads(), ["written"]));
  await assertEnded(tx);
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

Deno.test("a client that leaves within the body of a call leaves the transaction open, and the call undone", async () => {
  const tx = await begin(client);
  const create = [{ type: "p", id: "1", payload: "" }];
  (await beginUnfinished(tx, { create })).connection.close();
  await eventually(async () => assertRejected(await tx.get("p", "1"), 404, "ProjectionNotFound"));
  assertNoContent(await tx.abandon());
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

for (
  const [key, value] of Object.entries({ waitSeconds: 1, backwards: true, beforeSequence: 2, headAtLeast: 0 })
) {
  Deno.test(`400 for a read in a transaction that is given ${key}`, async () => {
    const tx = await begin(client);
    const reply = await tx.call("QUERY", "/events", { json: { query: "all", [key]: value } });
    assertRejected(reply, 400, "InvalidRequest", `${key} cannot be used inside a transaction`);
    expectStatus(await tx.abandon(), 204);
  });
}

Deno.test("a read outside waits for the commit of a transaction, not for its calls", async () => {
  using read = await WaitingRead.begin(client, "all");
  const tx = await begin(client);
  await tx.decide("none", event("t", "1"), event("t", "2"));
  await pause(50);
  assert.equal(read.isAnswered, false);
  expectStatus(await tx.commit(), 204);
  assert.deepEqual((await read.page).events.map(({ payload }) => payload), ["1", "2"]);
});
