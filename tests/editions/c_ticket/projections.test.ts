import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  begin,
  type CallOptions,
  createProjection,
  event,
  startEditionC,
  type Transaction,
} from "./client.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionC();
  client = server.client();
});
Deno.test.beforeEach(async () => assertNoContent(await client.request("POST", "/reset")));
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

interface Versions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

const versionsOf = (reply: Reply): Versions => expectStatus(reply, 200).json<Versions>();

const committed = (id: string): Promise<Reply> => client.request("GET", `/projections/p/${id}`);

async function assertCommitted(id: string, payload: string | undefined): Promise<void> {
  const reply = await committed(id);
  assert.deepEqual([reply.status, reply.status === 200 ? reply.text : undefined], [
    payload === undefined ? 404 : 200,
    payload,
  ]);
}

/** Asserts that a change in a new transaction is a conflict with this message, and ends the transaction. */
async function assertConflict(
  message: string,
  changes: CallOptions["json"],
  first: (transaction: Transaction) => Promise<unknown> = () => Promise.resolve(),
): Promise<void> {
  const transaction = await begin(client);
  await first(transaction);
  const reply = await transaction.call("POST", "/projections", { json: changes });
  assertRejected(reply, 409, "ConcurrencyException", message);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
}

Deno.test("a transaction sees its own projections, others see them after the commit; versions are those of the calls", async () => {
  const transaction = await begin(client);
  const create = [{ type: "p", id: "1", payload: "one" }, { type: "p", id: "2", payload: "" }];
  const versions = versionsOf(await transaction.change({ create }));
  assert.deepEqual([versions.create.length, versions.replace], [2, []]);
  for (const { version } of versions.create) assert.match(version, UUID);
  for (const [i, { id, payload }] of create.entries()) {
    const read = expectStatus(await transaction.get("p", id), 200);
    assert.equal(read.text, payload);
    assert.equal(read.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(read.headers.get("x-service-version"), versions.create[i]!.version);
    assert.match(read.headers.get("x-service-store") ?? "", UUID);
    await assertCommitted(id, undefined);
  }
  assertNoContent(await transaction.commit());
  for (const [i, { id, payload }] of create.entries()) {
    await assertCommitted(id, payload);
    assert.equal((await committed(id)).headers.get("x-service-version"), versions.create[i]!.version);
  }
});

Deno.test("versions chain through create, replace and delete of one transaction", async () => {
  const transaction = await begin(client);
  const key = { type: "p", id: "1" };
  const first =
    versionsOf(await transaction.change({ create: [{ ...key, payload: "1" }] })).create[0]!.version;
  const second = versionsOf(
    await transaction.change({ replace: [{ ...key, version: first, payload: "2" }] }),
  ).replace[0]!.version;
  const third = versionsOf(
    await transaction.change({ replace: [{ ...key, version: second, payload: "2" }] }),
  ).replace[0]!.version;
  assert.equal(new Set([first, second, third]).size, 3, "each write has a new version");
  assert.equal((await transaction.get("p", "1")).headers.get("x-service-version"), third);
  assert.deepEqual(versionsOf(await transaction.change({ delete: [{ ...key, version: third }] })), {
    create: [],
    replace: [],
  });
  assertRejected(await transaction.get("p", "1"), 404, "ProjectionNotFound");
  const again =
    versionsOf(await transaction.change({ create: [{ ...key, payload: "4" }] })).create[0]!.version;
  assert.notEqual(again, first);
  assertNoContent(await transaction.commit());
  await assertCommitted("1", "4");
});

Deno.test("events and projections of a transaction land together at commit, or not at all", async () => {
  for (const [end, there] of [["rollback", false], ["commit", true]] as const) {
    const transaction = await begin(client);
    expectStatus(await transaction.append([event("t")]), 200);
    versionsOf(await transaction.change({ create: [{ type: "p", id: "1", payload: "x" }] }));
    assertNoContent(await transaction[end]());
    assert.equal((await client.queryEvents()).events.length, there ? 1 : 0);
    await assertCommitted("1", there ? "x" : undefined);
  }
});

Deno.test("404 ProjectionNotFound carries the store header and no message, and the transaction continues", async () => {
  const transaction = await begin(client);
  const reply = await transaction.get("p", "1");
  assertRejected(reply, 404, "ProjectionNotFound");
  assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  versionsOf(await transaction.change({ create: [{ type: "p", id: "1", payload: "" }] }));
  assertNoContent(await transaction.commit());
});

Deno.test("conflicts name the entry, end the transaction and write nothing", async () => {
  const version = await createProjection(client, "p", "1", "kept");
  const key = { type: "p", id: "1" };
  const other = (id: string): object => ({ type: "p", id, payload: "" });
  await assertConflict("create[0] already exists", { create: [{ ...key, payload: "" }] });
  await assertConflict("create[1] already exists", { create: [other("2"), { ...key, payload: "" }] });
  await assertConflict("replace[0] no longer has the given version", {
    replace: [{ ...key, version: "other", payload: "" }],
  });
  await assertConflict("replace[0] no longer has the given version", {
    create: [other("2")],
    replace: [{ ...other("gone"), version }],
  });
  await assertConflict("delete[1] no longer has the given version", {
    delete: [{ ...key, version }, { type: "p", id: "gone", version }],
  });
  await assertConflict("delete[0] no longer has the given version", {
    delete: [{ ...key, version: "other" }],
  });
  await assertCommitted("1", "kept");
  await assertCommitted("2", undefined);
  assert.equal((await committed("1")).headers.get("x-service-version"), version);
});

Deno.test("create, replace and delete are checked in this order, each list from its start", async () => {
  const wrong = { version: "none", payload: "" };
  await assertConflict("replace[0] no longer has the given version", {
    delete: [{ type: "p", id: "3", version: "none" }],
    replace: [{ type: "p", id: "1", ...wrong }, { type: "p", id: "2", ...wrong }],
  });
});

Deno.test("changes of the transaction itself conflict as well", async () => {
  const key = { type: "p", id: "1" };
  const create = async (transaction: Transaction): Promise<void> => {
    versionsOf(await transaction.change({ create: [{ ...key, payload: "" }] }));
  };
  await assertConflict("create[0] already exists", { create: [{ ...key, payload: "" }] }, create);
  const version = await createProjection(client, "p", "1");
  const replace = [{ ...key, version, payload: "" }];
  const message = "replace[0] no longer has the given version";
  await assertConflict(message, { replace }, (transaction) => transaction.change({ replace }));
  await assertConflict(message, { replace }, (t) => t.change({ delete: [{ ...key, version }] }));
});

Deno.test("a version of a rolled-back transaction is not valid, the one before it is", async () => {
  const version = await createProjection(client, "p", "1", "kept");
  const key = { type: "p", id: "1" };
  const transaction = await begin(client);
  const undone = versionsOf(await transaction.change({ replace: [{ ...key, version, payload: "" }] }));
  assertNoContent(await transaction.rollback());
  await assertConflict("replace[0] no longer has the given version", {
    replace: [{ ...key, version: undone.replace[0]!.version, payload: "" }],
  });
  const next = await begin(client);
  versionsOf(await next.change({ replace: [{ ...key, version, payload: "new" }] }));
  assertNoContent(await next.commit());
  await assertCommitted("1", "new");
});

Deno.test("empty lists are fine and write nothing", async () => {
  const transaction = await begin(client);
  const nothing = { create: [], replace: [] };
  for (const changes of [{ create: [] }, { replace: [] }, { delete: [] }, { ...nothing, delete: [] }]) {
    assert.deepEqual(versionsOf(await transaction.change(changes)), nothing);
  }
  assertNoContent(await transaction.commit());
});

const item = { type: "p", id: "1", payload: "" };
const malformed: readonly (readonly [options: CallOptions, message: RegExp])[] = [
  [{ json: {} }, /create, replace and delete/],
  [{ json: { create: null, replace: null, delete: null } }, /create, replace and delete/],
  [{ json: [] }, /^body must be an object/],
  [{ body: "" }, /./],
  [{ json: { create: [], update: [] } }, /^unknown key "update"$/],
  [{ json: { projections: { create: [] } } }, /^unknown key "projections"$/],
  [{ json: { create: {} } }, /^create must be an array/],
  [{ json: { create: [{ type: "p", id: "1" }] } }, /^create\[0\]: payload is missing$/],
  [{ json: { create: [{ ...item, payload: null }] } }, /^create\[0\]: payload must be a string, not null$/],
  [{ json: { create: [{ ...item, version: "v" }] } }, /^create\[0\]: unknown key "version"$/],
  [{ json: { replace: [item] } }, /^replace\[0\]: version is missing$/],
  [
    { json: { replace: [{ ...item, version: "v", payload: null }] } },
    /^replace\[0\]: payload must be a string/,
  ],
  [{ json: { delete: [{ type: "p", id: "1" }] } }, /^delete\[0\]: version is missing$/],
  [{ json: { delete: [{ ...item, version: "v" }] } }, /^delete\[0\]: unknown key "payload"$/],
  [{ json: { create: [{ ...item, type: "" }] } }, /^create\[0\]: type must not be empty$/],
  [{ json: { create: [item, item] } }, /^create\[1\] has the same type and id as create\[0\]$/],
  [
    { json: { create: [item], delete: [{ type: "p", id: "1", version: "v" }] } },
    /^delete\[0\] has the same type and id as create\[0\]$/,
  ],
];
Deno.test("POST /projections with a malformed body: 400 that names the fault, with a ticket and while paused", async () => {
  for (const [options, message] of malformed) {
    const transaction = await begin(client);
    const reply = await transaction.call("POST", "/projections", options);
    assertRejected(reply, 400, "InvalidRequest", message);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
  }
  assertNoContent(await client.request("POST", "/pause"));
  for (const [options, message] of malformed) {
    const reply = await client.request("POST", "/projections", options);
    assertRejected(reply, 400, "InvalidRequest", message);
  }
  assertNoContent(await client.request("POST", "/resume"));
});

Deno.test("type and id are any text, percent-encoded in the path, with a ticket too", async () => {
  const keys = [["a/b", ".."], ["\u0000", "\u{10000}"], ["%2F", " "]] as const;
  const transaction = await begin(client);
  const create = keys.map(([type, id]) => ({ type, id, payload: type + id }));
  versionsOf(await transaction.change({ create }));
  for (const [type, id] of keys) {
    if (id !== "..") assert.equal((await transaction.get(type, id)).text, type + id);
  }
  assert.equal((await transaction.call("GET", "/projections/a%2Fb/%2e%2e")).text, "a/b..");
  const head = await transaction.call("HEAD", "/projections/a%2Fb/%2e%2e");
  assert.deepEqual([head.status, head.headers.get("content-length"), head.body.length], [200, "5", 0]);
  assertNoContent(await transaction.commit());
});
