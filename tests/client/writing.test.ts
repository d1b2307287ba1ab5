import assert from "node:assert/strict";
import {
  Conflict,
  ConnectionLost,
  EventStore,
  EventStoreError,
  Refused,
  Unavailable,
} from "../../client/mod.ts";
import { fetchTransport } from "../../client/transport/fetch_transport.ts";
import { errorReply } from "../../src/http/error_replies.ts";
import { ApiError, type ErrorCode } from "../../src/model/errors.ts";
import { FaultyTransport, ownError, ScriptedTransport } from "./faulty_transport.ts";
import { failure, note, placeOf, sharedTestServer, startTestServer, storeOf, storeOver } from "./support.ts";

const server = sharedTestServer();

Deno.test("a write returns sequences, time, position and versions", async () => {
  const store = storeOf(server);
  const { storeId } = await store.head();
  const written = await store.append([note("1"), note("2")], {
    projections: { create: [{ type: "p", id: "1", payload: { n: 1 } }] },
  });
  assert.deepEqual(written.events.map(({ sequence }) => sequence), [1, 2]);
  assert.deepEqual(written.position, { storeId, sequence: 2 });
  const { version } = written.projections.create[0]!;
  assert.deepEqual(await store.projections.get("p", "1"), { payload: { n: 1 }, version });
  const nothing = await store.append([]);
  assert.deepEqual(nothing, { events: [], projections: { create: [], replace: [] }, position: undefined });
});

Deno.test("conditions: with a position, without one, on another store, several", async () => {
  const store = storeOf(server);
  const query = { identifiers: { x: "1" } };
  const { position } = await store.append(note("1", { x: "1" }));
  await store.append(note("2", { x: "1" }), { conditions: { query, after: position! } });
  const condition = await failure(store.append(note("3"), { conditions: { query, after: position! } }));
  assert.ok(condition instanceof Conflict);
  assert.deepEqual(
    [condition.code, condition.status, condition.message, condition.conflict, condition.outcomeUnknown],
    ["ConcurrencyException", 409, "conditions[0] no longer holds", { condition: 0, sequence: 2 }, false],
  );
  const second = await failure(
    store.append(note("3"), { conditions: [{ query: { identifiers: { y: "1" } } }, { query }] }),
  );
  assert.deepEqual(second.conflict, { condition: 1, sequence: 1 });
  const after = { storeId: crypto.randomUUID(), sequence: 2 };
  const other = await failure(store.append(note("3"), { conditions: { query, after } }));
  assert.deepEqual(other.conflict, { condition: 0 });
  assert.equal((await store.head()).sequence, 2);
});

Deno.test("projections are created, replaced, deleted and read, and a stale version is a conflict", async () => {
  const { projections } = storeOf(server);
  const odd = { type: "a/b %2F", id: "\u00fc ? #" };
  const { create: [first] } = await projections.write({ create: [{ ...odd, payload: [1] }] });
  const { replace: [second] } = await projections.write({
    replace: [{ ...odd, version: first!.version, payload: [2] }],
  });
  assert.deepEqual(await projections.get(odd.type, odd.id), { payload: [2], version: second!.version });
  const stale = await failure(projections.write({ delete: [{ ...odd, version: first!.version }] }));
  assert.ok(stale instanceof Conflict);
  assert.deepEqual(stale.conflict, { list: "delete", item: 0 });
  await projections.write({ delete: [{ ...odd, version: second!.version }] });
  assert.equal(await projections.get(odd.type, odd.id), undefined);
  await projections.write({ create: [{ ...odd, payload: 1 }, { type: "t", id: "1", payload: 2 }] });
  await projections.deleteType(odd.type);
  assert.equal(await projections.get(odd.type, odd.id), undefined);
  await projections.deleteAll();
  assert.equal(await projections.get("t", "1"), undefined);
  await assert.rejects(projections.get("t", ".."), TypeError);
});

Deno.test("a value that JSON would silently change is a TypeError", async () => {
  const transport = new ScriptedTransport({ status: 500, body: "" });
  const store = storeOver<Record<string, unknown>>(transport);
  for (const value of [undefined, null, 1, [], [undefined]] as unknown as string[]) {
    const event = { type: "t", payload: 1 };
    for (
      const work of [
        store.append({ ...event, identifiers: { a: value } }),
        store.append({ ...event, metadata: { a: value } }),
        store.append(event, { conditions: { query: { identifiers: { a: value } } } }),
        store.read({ metadata: { a: value } }),
      ]
    ) await assert.rejects(work, TypeError);
  }
  await assert.rejects(store.append({ type: "t", payload: undefined }), TypeError);
  assert.equal(transport.requests.length, 0);
});

Deno.test("a write that the server does not accept is rejected with the server's message", async () => {
  await using server = await startTestServer("tcp", {
    SERVICE_ENABLE_AUTH: "true",
    SERVICE_AUTH_TOKEN: "secret",
  });
  const store = storeOf(server, { token: "secret" });
  const empty = await failure(store.read([]));
  assert.ok(empty instanceof Refused);
  assert.deepEqual([empty.code, empty.status], ["InvalidRequest", 400]);
  assert.match(empty.message, /query/);
  const large = await failure(store.append(note("x".repeat(70_000))));
  assert.deepEqual([large.code, large.status], ["PayloadTooLarge", 413]);
  const stranger = await failure(storeOf(server, { token: "wrong" }).append(note("1")));
  assert.ok(stranger instanceof Refused);
  assert.deepEqual([stranger.code, stranger.status], ["Unauthorized", 401]);
  assert.equal((await store.head()).sequence, 0);
});

Deno.test("a lost answer leaves open whether a write has happened, and it is not repeated", async () => {
  const transport = new FaultyTransport(fetchTransport(placeOf(server.address).url!));
  const store = storeOf(server, { transport });
  for (const [fault, happened] of [["request lost", 0], ["answer lost", 1], ["answer cut", 1]] as const) {
    transport.requests.length = 0;
    const { sequence } = await storeOf(server).head();
    transport.fault = () => fault;
    const error = await failure(store.append(note(fault)));
    assert.ok(error instanceof ConnectionLost);
    assert.deepEqual([error.outcomeUnknown, transport.requests.length], [true, 1]);
    assert.equal((await storeOf(server).head()).sequence, sequence + happened);
  }
});

Deno.test("503 of the server means that nothing was written: it is tried again", async () => {
  const full = ownError(503, "WriteQueueFull");
  const good = {
    status: 200,
    body: '{"events":[{"sequence":1,"time":""}],"projections":{"create":[],"replace":[]}}',
    headers: { "x-service-store": "s" },
  };
  const transport = new ScriptedTransport(full, full, good);
  const store = storeOver(transport);
  assert.equal((await store.append(note("1"))).position?.sequence, 1);
  assert.equal(transport.requests.length, 3);
  const hopeless = new ScriptedTransport(full);
  const error = await failure(
    storeOver(hopeless, { retrySeconds: 0.05 }).append(note("1")),
  );
  assert.ok(error instanceof Unavailable);
  assert.deepEqual([error.code, error.message, error.outcomeUnknown], [
    "WriteQueueFull",
    "WriteQueueFull",
    false,
  ]);
});

Deno.test("every error of the server is known as its own", async () => {
  const codes: Record<ErrorCode, null> = {
    InvalidRequest: null,
    Unauthorized: null,
    Forbidden: null,
    ProjectionNotFound: null,
    SubjectNotFound: null,
    TransactionNotFound: null,
    ConcurrencyException: null,
    TransactionBusy: null,
    NotPaused: null,
    TicketNotActive: null,
    PayloadTooLarge: null,
    InternalError: null,
    DiskFull: null,
    WriteQueueFull: null,
    TransactionQueueFull: null,
    TooManyTransactions: null,
    Paused: null,
    ShuttingDown: null,
    Standby: null,
    Unavailable: null,
  };
  for (const code of Object.keys(codes) as ErrorCode[]) {
    const { status, headers, body } = errorReply(new ApiError(code, "why")).reply;
    const transport = new ScriptedTransport({ status, headers, body: String(body) });
    const error = await failure(storeOver(transport, { retrySeconds: 0 }).append(note("1")));
    assert.deepEqual([error.code, error.message, error.outcomeUnknown], [code, "why", false]);
    const type = [503, 507].includes(status) ? Unavailable : status === 500 ? EventStoreError : Refused;
    assert.equal(error.constructor, code === "ConcurrencyException" ? Conflict : type);
  }
});

Deno.test("append needs edition A, and an EventStore needs an address", async () => {
  const store = new EventStore({ url: "http://localhost", edition: "B" });
  assert.equal((await failure(store.append(note("1")))).code, "WrongEdition");
  assert.throws(() => new EventStore({}), TypeError);
});

Deno.test("an error in plain text is the server's own too", async () => {
  const store = storeOf(server, { edition: "B" });
  const error = await failure(store.transaction((tx) => tx.read("*")));
  assert.ok(error instanceof Refused);
  const { status, code, message, outcomeUnknown } = error;
  assert.deepEqual([status, code, message, outcomeUnknown], [404, "InvalidRequest", "unknown path", false]);
});
