import assert from "node:assert/strict";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { append, begin, createProjection, editionB, event, replaceProjection, type Tx } from "./client.ts";
import { changed, create, payload, remove, replace, stored } from "./projection_changes.ts";

const server = sharedServer(editionB());
const client = server.client();

async function assertConflict(tx: Tx, message: string, conflict?: object): Promise<void> {
  assertRejected(await tx.commit(), 409, "ConcurrencyException", message, conflict);
  assertRejected(await tx.commit(), 404, "TransactionNotFound");
}

Deno.test("event matching the n-th read committed since: conditions[<n>] no longer holds", async () => {
  const tx = await begin(client);
  await tx.decide([{ types: ["other"] }]);
  await tx.decide("none", event("own"));
  await tx.decide([{ types: ["t"] }], event("own"));
  await tx.decide([{ types: ["t"] }]);
  await append(client, event("other to all"), event("t"), event("t"));
  await assertConflict(tx, "conditions[2] no longer holds", { condition: 2, sequence: 2 });
});

for (const changes of [[replace], [remove], [remove, create], [replace, remove]]) {
  const what = changes.flatMap((change) => Object.keys(change)).join(", ");
  Deno.test(`projection changed since read: no longer has the version read (${what})`, async () => {
    const message = "projection p/1 no longer has the version read";
    await createProjection(client, "p", "1", "old");
    const overtaken = await changed(client, true, ...changes);
    await replaceProjection(client, "p", "1", "outside");
    await assertConflict(overtaken, message);
    assert.equal(await stored(client), "outside");

    const vanished = await changed(client, true, ...changes);
    expectStatus(await client.request("DELETE", "/projections/p"), 204);
    await assertConflict(vanished, message);

    await createProjection(client, "p", "1", "old");
    const recreated = await changed(client, true, ...changes);
    expectStatus(await client.request("DELETE", "/projections"), 204);
    await createProjection(client, "p", "1", "old");
    await assertConflict(recreated, message);
  });
}

Deno.test("projection created without a read already exists: already exists", async () => {
  await createProjection(client, "p", "1", "outside");
  await assertConflict(await changed(client, false, create), "projection p/1 already exists");
  await assertConflict(await changed(client, false, create, replace), "projection p/1 already exists");
  const overtaken = await changed(client, false, { create: [{ type: "a/b", id: "\u00e4 c", payload }] });
  await createProjection(client, "a/b", "\u00e4 c");
  const projection = { type: "a/b", id: "\u00e4 c" };
  await assertConflict(overtaken, "projection a/b/\u00e4 c already exists", { projection });
});

Deno.test("a conflict names the projection at fault, not its index in a list", async () => {
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
