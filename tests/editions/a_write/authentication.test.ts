import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

const TOKEN = "correct-horse-battery";
const event = { type: "t", identifiers: {}, payload: "" };

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({
    env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN, SERVICE_DEV_MODE: "true" },
  });
  client = server.client({ authorization: `Bearer ${TOKEN}` });
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const endpoints: readonly [method: string, target: string, body?: unknown][] = [
  ["QUERY", "/events", { query: "*" }],
  ["POST", "/write", { events: [event] }],
  ["GET", "/projections/t/a"],
  ["DELETE", "/projections/t"],
  ["DELETE", "/projections"],
  ["POST", "/reset"],
  ["GET", "/health"],
  ["GET", "/metrics"],
  ["GET", "/debug"],
  ["GET", "/debug/pprof/"],
  ["HEAD", "/health"],
];
for (const [method, target, json] of endpoints) {
  Deno.test(`${method} ${target} without a token is 401 and does nothing, with it the endpoint answers`, async () => {
    await client.append(event);
    const before = (await client.queryEvents()).reply.text;
    const rejected = await server.client().request(method, target, { json });
    if (method === "HEAD") assert.equal(rejected.status, 401);
    else assertRejected(rejected, 401, "Unauthorized", /./);
    assert.equal((await client.queryEvents()).reply.text, before);
    const answered = await client.request(method, target, { json });
    assert.ok([200, 204, 404].includes(answered.status), answered.text);
    if (answered.status === 404) assertRejected(answered, 404, "ProjectionNotFound");
  });
}

Deno.test("the token comes before routing and decoding: every other fault is 401 as well", async () => {
  const faults: readonly [method: string, target: string, body?: string][] = [
    ["GET", "/unknown"],
    ["GET", "/"],
    ["PUT", "/write"],
    ["OPTIONS", "/write"],
    ["GET", "/projections/t/%ff"],
    ["POST", "/write", "{"],
    ["POST", "/write", " ".repeat(8388609)],
  ];
  for (const [method, target, body] of faults) {
    const options = body === undefined ? {} : { body };
    assertRejected(await server.client().request(method, target, options), 401, "Unauthorized", /./);
  }
  assertPlainText(await client.request("GET", "/unknown"), 404);
  assertPlainText(await client.request("PUT", "/write"), 405);
});

Deno.test("anything but one exact Bearer token is 401, always with the same body", async () => {
  const values: readonly string[][] = [
    [],
    [""],
    ["Bearer"],
    ["Bearer "],
    ["Bearer wrong"],
    [`Bearer ${TOKEN}x`],
    [`Bearer ${TOKEN.slice(0, -1)}`],
    [`Bearer ${TOKEN.toUpperCase()}`],
    [`Bearer  ${TOKEN}`],
    [`Bearer ${TOKEN} x`],
    [`Basic ${btoa(TOKEN)}`],
    [`Basic ${TOKEN}`],
    [TOKEN],
    [`Bearer ${TOKEN}, Bearer ${TOKEN}`],
    [`Bearer ${TOKEN}`, `Bearer ${TOKEN}`],
    [`Bearer ${TOKEN}`, "Bearer wrong"],
    ["Bearer wrong", `Bearer ${TOKEN}`],
  ];
  const bodies = new Set<string>();
  for (const authorization of values) {
    const headers = authorization.map((value) => ["authorization", value] as const);
    const reply = await server.client().request("GET", "/health", { headers });
    assertRejected(reply, 401, "Unauthorized", /./);
    bodies.add(reply.text);
  }
  assert.equal(bodies.size, 1);
});

Deno.test("the start-up line says auth=true, and neither output nor log show the token", async () => {
  await client.request("GET", "/health");
  assert.match(server.stdout, /\(auth=true\)$/m);
  assert.ok(!(server.stdout + server.stderr).includes(TOKEN));
});

Deno.test("with enableAuth off no request is checked, a token is ignored", async () => {
  await using open = await startServer({ env: { SERVICE_AUTH_TOKEN: TOKEN } });
  assert.match(open.stdout, /\(auth=false\)$/m);
  assert.equal((await open.client().request("GET", "/health")).status, 200);
  const wrong = await open.client({ authorization: "Bearer wrong" }).request("GET", "/health");
  assert.equal(wrong.status, 200);
});

Deno.test("on a unix socket the token is needed just the same", async () => {
  await using unix = await startServer({
    listen: "unix",
    env: { SERVICE_ENABLE_AUTH: "true", SERVICE_AUTH_TOKEN: TOKEN },
  });
  assertRejected(await unix.client().request("GET", "/health"), 401, "Unauthorized", /./);
  const reply = await unix.client({ authorization: `Bearer ${TOKEN}` }).request("GET", "/health");
  assert.equal(reply.status, 200);
});
