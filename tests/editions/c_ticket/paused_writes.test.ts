import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { holdWriteLock } from "../../support/held_write_lock.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { append, begin, createProjection, debugDocument, editionC, event, waitForWaiting } from "./client.ts";

/* Tests of writes without a ticket, which are allowed only while the store is paused. */

const server = sharedServer(editionC({ SERVICE_LOG_LEVEL: "info", SERVICE_MAX_PROJECTION_SIZE: "1000" }));
const client = server.client();

const change = (json: unknown): Promise<Reply> => client.request("POST", "/projections", { json });
const deleteAll = (target: string): Promise<Reply> => client.request("DELETE", target);
const create = (id: string, payload = "", type = "p"): unknown => ({ create: [{ type, id, payload }] });

async function pauseStore(): Promise<void> {
  assertNoContent(await client.request("POST", "/pause"));
}

function createdVersion(reply: Reply): string {
  const { create, replace } = expectStatus(reply, 200)
    .json<{ create: { version: string }[]; replace: { version: string }[] }>();
  return [...create, ...replace][0]!.version;
}

async function projections(...ids: string[]): Promise<(string | number)[]> {
  const replies = await Promise.all(ids.map((id) => client.request("GET", `/projections/${id}`)));
  return replies.map(({ status, text }) => status === 200 ? text : status);
}

Deno.test("outside a pause: 409 NotPaused for projections without a ticket and for bulk deletes, logged at info", async () => {
  await createProjection(client, "p", "1", "kept");
  assertRejected(await change(create("2")), 409, "NotPaused");
  assertRejected(await deleteAll("/projections/p"), 409, "NotPaused");
  assertRejected(await deleteAll("/projections"), 409, "NotPaused");
  assert.deepEqual(await projections("p/1", "p/2"), ["kept", 404]);
  await eventually(() => {
    assert.match(server.stdout, /: \[INFO\] POST \/projections 409 \d+B /);
    assert.match(server.stdout, /: \[INFO\] DELETE \/projections\/p 409 \d+B /);
  });
});

Deno.test("outside a pause the body is checked first: 400 and 413 come before 409", async () => {
  assertRejected(await change({}), 400, "InvalidRequest", /./);
  assertRejected(await change({ create: [{}] }), 400, "InvalidRequest", /^create\[0\]/);
  assertRejected(await change(create("1", "x".repeat(1001))), 413, "PayloadTooLarge", /^create\[0\] is/);
  for (const [method, target] of [["POST", "/projections"], ["DELETE", "/projections"]] as const) {
    using call = await client.begin(method, target, { headers: { "content-length": String(2 ** 31) } });
    assertRejected(await call.readReply(method), 413, "PayloadTooLarge", /maxRequestBody/);
  }
});

Deno.test("the attempt outside a pause leaves an active transaction alone, and does not wait for it", async () => {
  const transaction = await begin(client);
  expectStatus(await transaction.change(create("1", "kept") as object), 200);
  assertRejected(await change(create("2")), 409, "NotPaused");
  assertRejected(await deleteAll("/projections"), 409, "NotPaused");
  assertNoContent(await transaction.commit());
  assert.deepEqual(await projections("p/1", "p/2"), ["kept", 404]);
});

Deno.test("while paused each call commits on its own, and uses the versions of the previous call", async () => {
  await pauseStore();
  const first = createdVersion(await change(create("1", "one")));
  assert.deepEqual(await projections("p/1"), ["one"]);
  const replace = { type: "p", id: "1", version: first, payload: "two" };
  const second = createdVersion(await change({ replace: [replace] }));
  assert.deepEqual(await projections("p/1"), ["two"]);
  assertRejected(
    await change({ create: [{ type: "p", id: "2", payload: "" }], replace: [replace] }),
    409,
    "ConcurrencyException",
    "replace[0] no longer has the given version",
  );
  assertRejected(await change(create("1")), 409, "ConcurrencyException", "create[0] already exists");
  assert.deepEqual(await projections("p/1", "p/2"), ["two", 404]);
  assert.deepEqual(
    expectStatus(await change({ delete: [{ type: "p", id: "1", version: second }] }), 200).json(),
    {
      create: [],
      replace: [],
    },
  );
  assert.deepEqual(expectStatus(await change({ create: [] }), 200).json(), { create: [], replace: [] });
  assert.deepEqual(await projections("p/1"), [404]);
});

Deno.test("events cannot be written without a ticket while paused either", async () => {
  await pauseStore();
  const reply = await client.request("POST", "/events", { json: { events: [event("t")] } });
  assertRejected(reply, 400, "InvalidRequest", /X-Service-Ticket/);
  assert.deepEqual((await client.queryEvents()).events, []);
});

Deno.test("rebuild: pause, bulk delete, page through the events, write with versions of the previous call, resume", async () => {
  for (let i = 0; i < 5; i++) await append(client, event("counted"), event("other"));
  await createProjection(client, "count", "all", "wrong");
  await pauseStore();
  assertNoContent(await deleteAll("/projections/count"));
  let version: string | undefined;
  let count = 0;
  let afterSequence = 0;
  for (let hasMore = true; hasMore;) {
    const page = await client.queryEvents("*", { afterSequence, limit: 3 });
    count += page.events.filter(({ type }) => type === "counted").length;
    const written = { type: "count", id: "all", payload: String(count) };
    const json = version === undefined ? { create: [written] } : { replace: [{ ...written, version }] };
    version = createdVersion(await change(json));
    afterSequence = page.events.at(-1)!.sequence;
    hasMore = page.hasMore!;
  }
  assertNoContent(await client.request("POST", "/resume"));
  const transaction = await begin(client);
  const read = await transaction.get("count", "all");
  assert.deepEqual([read.text, read.headers.get("x-service-version")], ["5", version]);
  assertNoContent(await transaction.commit());
});

Deno.test("a resume waits for the writes that were accepted before it", async () => {
  await pauseStore();
  using held = holdWriteLock(server);
  const writes = [change(create("1", "x")), deleteAll("/projections/other")];
  await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 1));
  await waitForWaiting(client, 1);
  let resumed = false;
  const resuming = client.request("POST", "/resume").finally(() => resumed = true);
  await waitForWaiting(client, 2);
  assertRejected(await client.request("GET", "/projections/p/1"), 404, "ProjectionNotFound");
  assert.equal(resumed, false);
  assert.notEqual((await debugDocument(client)).paused, null);
  held.release();
  assert.deepEqual((await Promise.all(writes)).map(({ status }) => status), [200, 204]);
  assertNoContent(await resuming);
});

Deno.test("a write without a ticket that comes after a waiting resume is not done outside the pause", async () => {
  await pauseStore();
  using held = holdWriteLock(server);
  const before = change(create("before", "x"));
  await eventually(async () => assert.equal((await debugDocument(client)).write.sqliteInUse, 1));
  const resuming = client.request("POST", "/resume");
  await waitForWaiting(client, 1);
  const behind = [change(create("behind", "x")), deleteAll("/projections")];
  // The writes may be rejected at once, or when their turn comes.
  const settled = Promise.all(behind);
  await Promise.race([settled, waitForWaiting(client, 3)]);
  held.release();
  expectStatus(await before, 200);
  assertNoContent(await resuming);
  for (const reply of await settled) assertRejected(reply, 409, "NotPaused");
  assert.deepEqual(await projections("p/before", "p/behind"), ["x", 404]);
});
