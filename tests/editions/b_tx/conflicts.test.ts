import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  append,
  begin,
  createProjection,
  emptyStore,
  event,
  replaceProjection,
  startEditionB,
  Tx,
  txLines,
} from "./client.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionB();
  client = server.client();
});
Deno.test.beforeEach(() => emptyStore(client));
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const payload = "in the transaction";
const key = { type: "p", id: "1" };

async function assertConflict(tx: Tx, message: string, conflict?: object): Promise<void> {
  assertRejected(await tx.commit(), 409, "ConcurrencyException", message, conflict);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
}

async function stored(): Promise<string | undefined> {
  const reply = await client.request("GET", "/projections/p/1");
  return reply.status === 404 ? undefined : reply.text;
}

/** A transaction in which these changes were made, after a read of the projection when `read` says so. */
async function changed(read: boolean, ...changes: readonly unknown[]): Promise<Tx> {
  const tx = await begin(client);
  if (read) await tx.get("p", "1");
  for (const change of changes) expectStatus(await tx.change(change as Record<string, unknown>), 200);
  return tx;
}

const create = { create: [{ ...key, payload }] };
const replace = { replace: [{ ...key, payload }] };
const remove = { delete: [key] };

Deno.test("event matching the n-th read committed since: conditions[<n>] no longer holds", async () => {
  const tx = await begin(client);
  await tx.decide([{ types: ["other"] }]);
  await tx.decide("none", event("own"));
  await tx.decide([{ types: ["t"] }], event("own"));
  await tx.decide([{ types: ["t"] }]);
  await append(client, event("other to all"), event("t"), event("t"));
  await assertConflict(tx, "conditions[2] no longer holds", { condition: 2, sequence: 2 });
});

Deno.test("projection changed since read: no longer has the version read", async () => {
  const message = "projection p/1 no longer has the version read";
  for (const changes of [[replace], [remove], [remove, create], [replace, remove]]) {
    await emptyStore(client);
    await createProjection(client, "p", "1", "old");
    const overtaken = await changed(true, ...changes);
    await replaceProjection(client, "p", "1", "outside");
    await assertConflict(overtaken, message);
    assert.equal(await stored(), "outside");

    const vanished = await changed(true, ...changes);
    expectStatus(await client.request("DELETE", "/projections/p"), 204);
    await assertConflict(vanished, message);

    await createProjection(client, "p", "1", "old");
    const recreated = await changed(true, ...changes);
    expectStatus(await client.request("DELETE", "/projections"), 204);
    await createProjection(client, "p", "1", "old");
    await assertConflict(recreated, message);
  }
});

Deno.test("projection read as missing was created since: was created by another write since it was read", async () => {
  const tx = await changed(true, create);
  await createProjection(client, "p", "1", "outside");
  await assertConflict(tx, "projection p/1 was created by another write since it was read");
  assert.equal(await stored(), "outside");
});

Deno.test("projection created without a read already exists: already exists", async () => {
  await createProjection(client, "p", "1", "outside");
  await assertConflict(await changed(false, create), "projection p/1 already exists");
  await assertConflict(await changed(false, create, replace), "projection p/1 already exists");
  const overtaken = await changed(false, { create: [{ type: "a/b", id: "\u00e4 c", payload }] });
  await createProjection(client, "a/b", "\u00e4 c");
  const projection = { type: "a/b", id: "\u00e4 c" };
  await assertConflict(overtaken, "projection a/b/\u00e4 c already exists", { projection });
});

Deno.test("a conflict names the projection at fault, not its place in a list", async () => {
  await createProjection(client, "p", "1");
  for (const id of ["2", "3"]) await createProjection(client, "p", id);
  const tx = await begin(client);
  for (const id of ["1", "2", "3"]) expectStatus(await tx.get("p", id), 200);
  expectStatus(
    await tx.change({ delete: [{ type: "p", id: "2" }], create: [{ type: "q", id: "1", payload }] }),
    200,
  );
  expectStatus(
    await tx.change({ replace: [{ type: "p", id: "1", payload }, { type: "p", id: "3", payload }] }),
    200,
  );
  await replaceProjection(client, "p", "3", "outside");
  await assertConflict(tx, "projection p/3 no longer has the version read");
  assert.equal((await client.request("GET", "/projections/q/1")).status, 404, "nothing was written");
  assert.equal((await client.request("GET", "/projections/p/2")).status, 200, "nothing was deleted");
});

Deno.test("conditions are checked before projections", async () => {
  const tx = await begin(client);
  await tx.decide([{ types: ["t"] }]);
  expectStatus(await tx.change(create), 200);
  await createProjection(client, "p", "1", "outside");
  await append(client, event("t"));
  await assertConflict(tx, "conditions[0] no longer holds");
});

Deno.test("the position of a condition is the head of the store when it was read", async () => {
  await append(client, event("t", "before"));
  const tx = await begin(client);
  await append(client, event("t", "between begin and read"));
  const lines = await tx.decide([{ types: ["t"] }], event("t", "own"));
  assert.deepEqual(lines.map((line) => line.payload), ["before", "between begin and read"]);
  await append(client, event("other", "does not match"));
  assertNoContent(await tx.commit());
});

Deno.test('a condition on "none" never fails, one on "all" fails after any event', async () => {
  const none = await begin(client);
  await none.decide("none", event("t"));
  const all = await begin(client);
  await all.decide("all", event("t"));
  await append(client, event("other"));
  assertNoContent(await none.commit());
  await assertConflict(all, "conditions[0] no longer holds");
});

Deno.test("a transaction's own pending events break none of its conditions", async () => {
  const tx = await begin(client);
  await tx.decide("all", event("t", "1"));
  const lines = await tx.decide("all", event("t", "2"));
  assert.deepEqual(lines.map((line) => line.payload), ["1"]);
  assertNoContent(await tx.commit());
});

Deno.test("own pending events that match follow the committed ones, with time and without sequence", async () => {
  await append(client, event("t", "committed", { a: "1" }), event("t", "other", { a: "2" }));
  const tx = await begin(client);
  txLines(await tx.read("none"));
  const own = { type: "t", identifiers: { a: ["1", "2"], b: ["x"] }, payload: "own" };
  const written = await tx.write(own, event("t", "own, not matching", { a: "3" }));
  const lines = await tx.decide([{ identifiers: [{ name: "a", value: "1" }] }]);
  const [first, second] = lines;
  assert.equal(lines.length, 2);
  assert.deepEqual([first?.sequence, first?.payload], [1, "committed"]);
  assert.deepEqual(second, {
    time: written.json<{ time: string }>().time,
    type: "t",
    identifiers: { a: ["1", "2"], b: "x" },
    metadata: {},
    payload: "own",
  });
  assert.deepEqual(await tx.decide("none"), []);
  assertNoContent(await tx.commit());
  const { events } = await client.queryEvents([{ identifiers: [{ name: "b", value: "x" }] }]);
  assert.deepEqual(events, [{ sequence: 3, ...second }], "committed as it was read");
});

Deno.test("a read in a transaction sees what others committed since, and never what others hold pending", async () => {
  const [a, b] = [await begin(client), await begin(client)];
  await a.decide("none", event("t", "a"));
  assert.deepEqual(await b.decide("all"), []);
  assertNoContent(await a.commit());
  assert.deepEqual((await b.decide("all")).map((line) => line.payload), ["a"]);
  assertNoContent(await b.abandon());
});

Deno.test("create + replace = one create", async () => {
  const tx = await changed(false, create, { replace: [{ ...key, payload: "replaced" }] });
  assert.equal((await tx.get("p", "1")).text, "replaced");
  assertNoContent(await tx.commit());
  assert.equal(await stored(), "replaced");
});

Deno.test("create + delete = nothing: no check, no write, and it may be created again", async () => {
  const nothing = await changed(false, create, remove);
  assertRejected(await nothing.get("p", "1"), 404, "ProjectionNotFound");
  await createProjection(client, "p", "1", "outside");
  assertNoContent(await nothing.commit());
  assert.equal(await stored(), "outside");
  expectStatus(await client.request("DELETE", "/projections"), 204);
  assertNoContent(await (await changed(false, create, remove, create)).commit());
  assert.equal(await stored(), payload);
});

Deno.test("read + delete + create = a replace at the version read", async () => {
  const before = await createProjection(client, "p", "1", "old");
  const tx = await changed(true, remove);
  assertRejected(await tx.get("p", "1"), 404, "ProjectionNotFound");
  expectStatus(await tx.change(create), 200);
  assert.equal((await tx.get("p", "1")).text, payload);
  assertNoContent(await tx.commit());
  const reply = await client.request("GET", "/projections/p/1");
  assert.equal(reply.text, payload);
  assert.notEqual(reply.headers.get("x-service-version"), before);
});

Deno.test("a replace with an equal payload is a write and gives a new version", async () => {
  const before = await createProjection(client, "p", "1", payload);
  assertNoContent(await (await changed(true, replace)).commit());
  const reply = await client.request("GET", "/projections/p/1");
  assert.notEqual(reply.headers.get("x-service-version"), before);
});

Deno.test("deleting a projection that does not exist does nothing, a second time too", async () => {
  const tx = await changed(true, remove, remove);
  assertNoContent(await tx.commit());
  await createProjection(client, "p", "1", "old");
  const twice = await changed(true, remove, remove);
  assertNoContent(await twice.commit());
  assert.equal(await stored(), undefined);
});

Deno.test("a projection that was only read is not checked", async () => {
  await createProjection(client, "p", "1", "old");
  const tx = await changed(true, { create: [{ type: "p", id: "2", payload }] });
  await replaceProjection(client, "p", "1", "outside");
  assertNoContent(await tx.commit());
});

Deno.test("replace and delete need the projection to have been read or created in the transaction", async () => {
  await createProjection(client, "p", "1", "old");
  const rejected: readonly (readonly [string, readonly unknown[], unknown, boolean])[] = [
    ["replace[0]: the projection was not read in this transaction", [], replace, false],
    ["delete[0]: the projection was not read in this transaction", [], remove, false],
    ["create[0]: the projection already exists", [], create, true],
    ["create[0]: the projection already exists", [replace], create, true],
    ["replace[0]: the projection does not exist", [remove], replace, true],
    ["replace[0]: the projection does not exist", [create, remove], replace, false],
    ["create[0]: the projection already exists", [create], create, false],
  ];
  for (const [message, before, last, read] of rejected) {
    const tx = await changed(read, ...before);
    assertRejected(await tx.change(last as Record<string, unknown>), 400, "InvalidRequest", message);
    assertRejected(await tx.abandon().then(() => tx.commit()), 404, "TransactionNotFound");
  }
  const missing = await changed(false);
  expectStatus(await missing.get("p", "none"), 404);
  const absent = { replace: [{ type: "p", id: "none", payload }] };
  assertRejected(
    await missing.change(absent),
    400,
    "InvalidRequest",
    "replace[0]: the projection does not exist",
  );
  assert.equal(await stored(), "old");
});

Deno.test("an empty write of projections and one that names a projection twice end the transaction", async () => {
  for (const changes of [{}, { create: [] }, { create: null, replace: [], delete: [] }]) {
    const tx = await begin(client);
    assertRejected(await tx.change(changes), 400, "InvalidRequest", /at least one/);
    assertRejected(await tx.commit(), 404, "TransactionNotFound");
  }
  const tx = await begin(client);
  const twice = "delete[0] has the same type and id as create[0]";
  assertRejected(await tx.change({ ...create, ...remove }), 400, "InvalidRequest", twice);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
});
