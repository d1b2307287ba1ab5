import assert from "node:assert/strict";
import type { Client, WriteResult } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { assertRejected, UUID } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  client = server.client();
});
Deno.test.beforeEach(() => client.reset());
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

interface Changes {
  readonly create?: unknown;
  readonly replace?: unknown;
  readonly delete?: unknown;
}

const change = (projections: Changes): Promise<Reply> => client.write({ projections });
const read = (id: string): Promise<Reply> => client.request("GET", `/projections/t/${id}`);

async function create(id: string, payload = ""): Promise<string> {
  const reply = await change({ create: [{ type: "t", id, payload }] });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<WriteResult>().projections.create[0]?.version ?? "";
}

async function replace(id: string, version: string, payload = ""): Promise<string> {
  const reply = await change({ replace: [{ type: "t", id, version, payload }] });
  assert.equal(reply.status, 200, reply.text);
  return reply.json<WriteResult>().projections.replace[0]?.version ?? "";
}

async function assertConflict(message: string, changes: Changes): Promise<void> {
  assertRejected(await change(changes), 409, "ConcurrencyException", message);
}

Deno.test("projection: absent -> create -> present with a new version", async () => {
  assert.equal((await read("a")).status, 404);
  const version = await create("a", "first");
  assert.match(version, UUID);
  const reply = await read("a");
  assert.equal(reply.text, "first");
  assert.equal(reply.headers.get("x-service-version"), version);
});

Deno.test("projection: present -> replace with the stored version -> whole payload replaced, new version", async () => {
  const first = await create("a", "a long first payload");
  const second = await replace("a", first, "b");
  assert.match(second, UUID);
  assert.notEqual(second, first);
  assert.equal((await read("a")).text, "b");
  assert.equal((await read("a")).headers.get("x-service-version"), second);
  assert.notEqual(await replace("a", second, "b"), second, "an equal payload is a write as well");
});

Deno.test("projection: present -> delete with the stored version -> absent, without an entry in the answer", async () => {
  const version = await create("a");
  const reply = await change({ delete: [{ type: "t", id: "a", version }] });
  assert.equal(reply.status, 200, reply.text);
  assert.deepEqual(reply.json(), { events: [], projections: { create: [], replace: [] } });
  assert.equal((await read("a")).status, 404);
});

Deno.test("projection: create on present -> 409 projections.create[i] already exists, unchanged", async () => {
  const version = await create("a", "kept");
  await assertConflict("projections.create[1] already exists", {
    create: [{ type: "t", id: "b", payload: "" }, { type: "t", id: "a", payload: "lost" }],
  });
  assert.equal((await read("a")).text, "kept");
  assert.equal((await read("a")).headers.get("x-service-version"), version);
  assert.equal((await read("b")).status, 404);
});

Deno.test("projection: replace or delete with another version -> 409, unchanged", async () => {
  const version = await create("a", "kept");
  const other = crypto.randomUUID();
  for (const stale of [other, "not a UUID", version.toUpperCase()]) {
    await assertConflict("projections.replace[0] no longer has the given version", {
      replace: [{ type: "t", id: "a", version: stale, payload: "lost" }],
    });
    await assertConflict("projections.delete[0] no longer has the given version", {
      delete: [{ type: "t", id: "a", version: stale }],
    });
  }
  assert.equal((await read("a")).text, "kept");
  assert.equal((await read("a")).headers.get("x-service-version"), version);
});

Deno.test("projection: replace or delete on absent -> 409", async () => {
  const version = crypto.randomUUID();
  await assertConflict("projections.replace[0] no longer has the given version", {
    replace: [{ type: "t", id: "gone", version, payload: "" }],
  });
  await assertConflict("projections.delete[0] no longer has the given version", {
    delete: [{ type: "t", id: "gone", version }],
  });
});

Deno.test("projection: a stale version never matches again, even after delete and re-create", async () => {
  const first = await create("a", "same");
  const second = await replace("a", first, "other");
  const third = await replace("a", second, "same");
  await change({ delete: [{ type: "t", id: "a", version: third }] });
  const fourth = await create("a", "same");
  assert.equal(new Set([first, second, third, fourth]).size, 4);
  for (const version of [first, second, third]) {
    await assertConflict("projections.replace[0] no longer has the given version", {
      replace: [{ type: "t", id: "a", version, payload: "" }],
    });
  }
});

Deno.test("the first failing item of create, replace, delete is named by its position", async () => {
  const a = await create("a");
  const b = await create("b");
  const stale = crypto.randomUUID();
  await assertConflict("projections.replace[1] no longer has the given version", {
    delete: [{ type: "t", id: "absent", version: stale }],
    replace: [{ type: "t", id: "a", version: a, payload: "" }, {
      type: "t",
      id: "b",
      version: stale,
      payload: "",
    }],
    create: [{ type: "t", id: "c", payload: "" }],
  });
  await assertConflict("projections.create[0] already exists", {
    create: [{ type: "t", id: "a", payload: "" }],
    replace: [{ type: "t", id: "b", version: stale, payload: "" }],
  });
  await assertConflict("projections.delete[1] no longer has the given version", {
    replace: [{ type: "t", id: "a", version: a, payload: "" }],
    delete: [{ type: "t", id: "b", version: b }, { type: "t", id: "c", version: stale }],
  });
  assert.equal((await read("a")).headers.get("x-service-version"), a);
  assert.equal((await read("b")).headers.get("x-service-version"), b);
});

Deno.test("type and id together name a projection, not their concatenation", async () => {
  const reply = await change({
    create: [
      { type: "a", id: "bc", payload: "1" },
      { type: "ab", id: "c", payload: "2" },
      { type: "a/b", id: "c", payload: "3" },
      { type: "a", id: "b/c", payload: "4" },
    ],
  });
  assert.equal(reply.status, 200, reply.text);
  for (const [path, payload] of [["a/bc", "1"], ["ab/c", "2"], ["a%2Fb/c", "3"], ["a/b%2Fc", "4"]]) {
    assert.equal((await client.request("GET", `/projections/${path}`)).text, payload);
  }
});

Deno.test("projections, their versions and payloads are the same after a restart", async () => {
  const version = await create("a", "x\u0000y");
  await server.restart();
  const reply = await read("a");
  assert.equal(reply.text, "x\u0000y");
  assert.equal(reply.headers.get("x-service-version"), version);
});
