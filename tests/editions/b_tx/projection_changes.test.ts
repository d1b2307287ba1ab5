import assert from "node:assert/strict";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { begin, createProjection, editionB } from "./client.ts";
import { changed, create, payload, remove, replace, stored } from "./projection_changes.ts";

const server = sharedServer(editionB());
const client = server.client();

/* The sequences of calls show what changes of one projection come to. These are the details that they leave open. */

Deno.test("a replace with an equal payload is a write and gives a new version", async () => {
  const before = await createProjection(client, "p", "1", payload);
  assertNoContent(await (await changed(client, true, replace)).commit());
  const reply = await client.request("GET", "/projections/p/1");
  assert.notEqual(reply.headers.get("x-service-version"), before);
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
    const tx = await changed(client, read, ...before);
    assertRejected(await tx.change(last as Record<string, unknown>), 400, "InvalidRequest", message);
    assertRejected(await tx.abandon().then(() => tx.commit()), 404, "TransactionNotFound");
  }
  const missing = await changed(client, false);
  expectStatus(await missing.get("p", "none"), 404);
  const absent = { replace: [{ type: "p", id: "none", payload }] };
  assertRejected(
    await missing.change(absent),
    400,
    "InvalidRequest",
    "replace[0]: the projection does not exist",
  );
  assert.equal(await stored(client), "old");
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
