import assert from "node:assert/strict";
import type { Client, WriteResult } from "../../support/client.ts";
import { debugSnapshot, holdWriteLock, waitForQueue } from "../../support/held_write_lock.ts";
import { assertNoContent, assertPlainText, assertRejected, UUID } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  client = server.client();
});
Deno.test.beforeEach(() => client.reset());
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

async function create(...projections: { type: string; id: string; payload: string }[]): Promise<string[]> {
  const reply = await client.write({ projections: { create: projections } });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<WriteResult>().projections.create.map((created) => created.version);
}

Deno.test("GET /projections/{type}/{id}: 200 is the payload exactly as written, with version and store ID", async () => {
  for (const payload of ["", "plain", '{"json":1}', "\u0000\r\n\u{1f600}\u2028 end "]) {
    const [version] = await create({ type: "t", id: payload.length.toString(), payload });
    const reply = await client.request("GET", `/projections/t/${payload.length}`);
    assert.equal(reply.status, 200);
    assert.deepEqual(reply.body, new TextEncoder().encode(payload));
    assert.equal(reply.headers.get("content-type"), "text/plain; charset=utf-8");
    assert.equal(reply.headers.get("x-service-version"), version);
    assert.equal(reply.headers.get("x-service-store"), await client.storeId());
    assert.equal(reply.headers.get("cache-control"), "no-store");
  }
});

Deno.test("GET of an absent projection: 404 ProjectionNotFound without message, with the store ID", async () => {
  const reply = await client.request("GET", "/projections/t/absent");
  assertRejected(reply, 404, "ProjectionNotFound");
  assert.equal(reply.headers.get("x-service-store"), await client.storeId());
  assert.equal(reply.headers.has("x-service-version"), false);
  assert.equal(reply.headers.get("cache-control"), "no-store");
});

Deno.test("HEAD of a projection has the head of its GET and no body", async () => {
  const [version] = await create({ type: "t", id: "a", payload: "12345" });
  const reply = await client.request("HEAD", "/projections/t/a");
  assert.equal(reply.status, 200);
  assert.equal(reply.headers.get("x-service-version"), version);
  assert.equal(reply.body.length, 0);
});

const encodings: readonly [name: string, id: string, target: string][] = [
  ["%2F is a slash inside a segment", "a/b", "a%2Fb"],
  ["lower-case hex is the same", "a/b", "a%2fb"],
  ["%2e%2e is the id ..", "..", "%2e%2e"],
  ["%2E is the id .", ".", "%2E"],
  ["%00 is a NUL", "n\0n", "n%00n"],
  ["a segment is decoded once", "%2F", "%252F"],
  ["several bytes make one character", "\u00e9\u{1f600}", "%C3%A9%F0%9F%98%80"],
  ["a plus sign is a plus sign", "a+b c", "a+b%20c"],
  ["%3F is a question mark of the id", "a?b", "a%3Fb"],
  ["a query string is ignored", "q", "q?x=1/2?y=%zz"],
];
for (const [name, id, target] of encodings) {
  Deno.test(`path: ${name}`, async () => {
    await create({ type: id, id, payload: id });
    const segment = target.split("?")[0];
    const reply = await client.request("GET", `/projections/${segment}/${target}`);
    assert.equal(reply.status, 200, reply.text);
    assert.equal(reply.text, id);
  });
}

for (const segment of ["%ff", "%zz", "%", "%2", "a%C3", "%ED%A0%80", "%C0%AF"]) {
  Deno.test(`path: ${segment} is a broken escape or invalid UTF-8 and gets 400 in plain text`, async () => {
    assertPlainText(await client.request("GET", `/projections/t/${segment}`), 400);
    assertPlainText(await client.request("GET", `/projections/${segment}/a`), 400);
    assertPlainText(await client.request("DELETE", `/projections/${segment}`), 400);
  });
}

Deno.test("DELETE /projections/{type} deletes every projection of that type only, and no event", async () => {
  await client.append({ type: "t", identifiers: {}, payload: "" });
  const [version] = await create(
    { type: "a/b", id: "1", payload: "" },
    { type: "a/b", id: "2", payload: "" },
    { type: "a", id: "b/1", payload: "" },
    { type: "A/B", id: "1", payload: "" },
  );
  const reply = await client.request("DELETE", "/projections/a%2Fb");
  assertNoContent(reply);
  const status = async (path: string): Promise<number> =>
    (await client.request("GET", `/projections/${path}`)).status;
  assert.deepEqual(
    [await status("a%2Fb/1"), await status("a%2Fb/2"), await status("a/b%2F1"), await status("A%2FB/1")],
    [404, 404, 200, 200],
  );
  assert.equal((await client.queryEvents()).events.length, 1);
  const replace = [{ type: "a/b", id: "1", version, payload: "" }];
  const later = await client.write({ projections: { replace } });
  assertRejected(
    later,
    409,
    "ConcurrencyException",
    "projections.replace[0] no longer has the given version",
  );
});

Deno.test("DELETE /projections deletes every projection, keeps the store ID, and works without any", async () => {
  const store = await client.storeId();
  const [version] = await create({ type: "a", id: "1", payload: "" }, { type: "b", id: "1", payload: "" });
  assertNoContent(await client.request("DELETE", "/projections"));
  assert.equal((await client.request("GET", "/projections/a/1")).status, 404);
  assert.equal((await client.request("GET", "/projections/b/1")).status, 404);
  assertNoContent(await client.request("DELETE", "/projections"));
  assertNoContent(await client.request("DELETE", "/projections/a"));
  assert.equal(await client.storeId(), store);
  const deletion = await client.write({ projections: { delete: [{ type: "a", id: "1", version }] } });
  assertRejected(
    deletion,
    409,
    "ConcurrencyException",
    "projections.delete[0] no longer has the given version",
  );
  const [again] = await create({ type: "a", id: "1", payload: "" });
  assert.match(again ?? "", UUID);
  assert.notEqual(again, version);
});

Deno.test("bulk deletes wait for their turn after earlier writes, as kind projections", async () => {
  using held = holdWriteLock(server);
  const first = client.append({ type: "t", identifiers: {}, payload: "" });
  await waitForQueue(client, 0);
  const creating = client.write({ projections: { create: [{ type: "t", id: "early", payload: "" }] } });
  await waitForQueue(client, 1);
  const deleting = client.request("DELETE", "/projections/t");
  await waitForQueue(client, 2);
  const late = client.write({ projections: { create: [{ type: "t", id: "late", payload: "" }] } });
  await waitForQueue(client, 3);
  const { write } = await debugSnapshot(client);
  assert.deepEqual(write.queued.map((entry) => entry.kind), ["write", "projections", "write"]);
  held.release();
  const replies = await Promise.all([creating, deleting, late]);
  assert.deepEqual(replies.map((reply) => reply.status), [200, 204, 200]);
  await first;
  assert.equal((await client.request("GET", "/projections/t/early")).status, 404);
  assert.equal((await client.request("GET", "/projections/t/late")).status, 200);
});
