import assert from "node:assert/strict";
import { type Client, projectionPath } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus, UUID } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { append, begin, createProjection, editionB, event } from "./client.ts";

const server = sharedServer(editionB());
const client = server.client();

const post = (json: unknown): ReturnType<Client["request"]> =>
  client.request("POST", "/projections", { json });
const item = (id: string, payload = ""): unknown => ({ type: "p", id, payload });

async function stored(id: string): Promise<string | undefined> {
  const reply = await client.request("GET", `/projections/p/${id}`);
  return reply.status === 404 ? undefined : reply.text;
}

Deno.test("POST /projections sent again after a lost response conflicts with its own first attempt", async () => {
  const version = await createProjection(client, "p", "1");
  const again = { replace: [{ type: "p", id: "1", version, payload: "once" }] };
  expectStatus(await post(again), 200);
  assertRejected(
    await post(again),
    409,
    "ConcurrencyException",
    "replace[0] no longer has the given version",
  );
  assert.equal(await stored("1"), "once");
});

Deno.test("POST /projections with no item: 200 with empty lists, without a turn", async () => {
  using _held = holdWriteLock(server);
  using _active = await client.begin("POST", "/optimize");
  for (const body of [{}, { create: [] }, { create: null, replace: [], delete: [] }]) {
    const reply = await post(body);
    assert.deepEqual(expectStatus(reply, 200).json(), { create: [], replace: [] });
    assert.match(reply.headers.get("x-service-store") ?? "", UUID);
  }
});

Deno.test("POST /projections runs even if its client disconnects while it waits", async () => {
  const held = holdWriteLock(server);
  try {
    using _active = await client.begin("POST", "/optimize");
    const leaving = await client.begin("POST", "/projections", { json: { create: [item("left", "kept")] } });
    await pause(100);
    leaving.close();
    await pause(100);
  } finally {
    held.release();
  }
  await eventually(async () => assert.equal(await stored("left"), "kept"));
});

Deno.test("a bulk delete touches no event and runs even if its client disconnects", async () => {
  await append(client, event("t"));
  await createProjection(client, "p", "1");
  const held = holdWriteLock(server);
  try {
    using _active = await client.begin("POST", "/optimize");
    const leaving = await client.begin("DELETE", "/projections");
    await pause(100);
    leaving.close();
    await pause(100);
  } finally {
    held.release();
  }
  await eventually(async () => assert.equal(await stored("1"), undefined));
  assert.equal((await client.queryEvents("all")).events.length, 1);
});

Deno.test("a projection reads the same in a transaction and outside, whatever its name and payload", async () => {
  const cases = [["a/b", "..", ""], ["\u00e4", "%2F", "\0 \u{1f600}"], ["p q", "x?y#z", '{"json": true}']];
  for (const [type, id, payload] of cases as [string, string, string][]) {
    const tx = await begin(client);
    expectStatus(await tx.change({ create: [{ type, id, payload }] }), 200);
    const own = await tx.get(type, id);
    assert.equal(own.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(own.text, payload);
    assertNoContent(await tx.commit());
    const later = await begin(client);
    assert.equal((await later.get(type, id)).text, payload);
    assertNoContent(await later.abandon());
    assert.equal((await client.request("GET", projectionPath(type, id))).text, payload);
  }
});

Deno.test("HEAD of a projection in a transaction reads it: it may then be replaced", async () => {
  await createProjection(client, "p", "1", "four");
  const tx = await begin(client);
  const head = await tx.call("HEAD", "/projections/p/1");
  assert.deepEqual([head.status, head.headers.get("content-length"), head.body.length], [200, "4", 0]);
  expectStatus(await tx.change({ replace: [item("1", "new")] }), 200);
  assertNoContent(await tx.commit());
  assert.equal(await stored("1"), "new");
});

Deno.test("a projection is rebuilt: pause, bulk delete, read page by page, write, resume", async () => {
  await append(client, ...["1", "2", "3", "4", "5"].map((payload) => event("t", payload)));
  await createProjection(client, "sum", "all", "wrong");
  expectStatus(await client.request("POST", "/pause"), 200);
  assertNoContent(await client.request("DELETE", "/projections/sum"));
  let sum = 0;
  for (let after = 0, hasMore = true; hasMore;) {
    const page = await client.queryEvents("all", { afterSequence: after, limit: 2 });
    for (const { payload } of page.events) sum += Number(payload);
    after = page.events.at(-1)?.sequence ?? after;
    hasMore = page.hasMore ?? assert.fail("no trailer");
  }
  await createProjection(client, "sum", "all", String(sum));
  assertNoContent(await client.request("POST", "/resume"));
  assert.equal((await client.request("GET", "/projections/sum/all")).text, "15");
});
