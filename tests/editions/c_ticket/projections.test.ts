import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { begin, type CallOptions, createProjection, editionC, type Transaction } from "./client.ts";

const server = sharedServer(editionC());
const client = server.client();

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

// `ticket_requests.test.ts` has every cause.
const malformed: readonly (readonly [options: CallOptions, message: RegExp])[] = [
  [{ json: {} }, /create, replace and delete/],
  [{ body: "" }, /./],
  [{ json: { replace: [{ type: "p", id: "1", payload: "" }] } }, /^replace\[0\]: version is missing$/],
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
