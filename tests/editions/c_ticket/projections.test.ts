import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { begin, type CallOptions, editionC } from "./client.ts";

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
