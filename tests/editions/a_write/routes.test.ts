import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { Connection } from "../../support/connection.ts";
import { assertPlainText, assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({
    listen: "tcp",
    env: { SERVICE_DEV_MODE: "true", SERVICE_MAX_REQUEST_BODY_SIZE: "1000" },
  });
  client = server.client();
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const unknown = [
  "/",
  "/unknown",
  "/Events",
  "/events/",
  "/events//",
  "//events",
  "/./events",
  "/x/../events",
  "/health/",
  "/write/x",
  "/projections/",
  "/projections//",
  "/projections/t/",
  "/projections//a",
  "/projections/t//a",
  "/projections/t/a/",
  "/projections/t/a/b",
  "/projections/./a",
  "/projections/t/..",
  "/tx",
  "/begin",
  "/commit",
  "/metrics/",
  "/debugger",
];
for (const target of unknown) {
  Deno.test(`unknown path ${target}: 404 in plain text, whatever the method`, async () => {
    for (const method of ["GET", "QUERY", "POST", "DELETE"]) {
      assertPlainText(await client.request(method, target), 404);
    }
  });
}

const wrongMethods: readonly [target: string, allowed: readonly string[]][] = [
  ["/events", ["QUERY"]],
  ["/write", ["POST"]],
  ["/projections", ["DELETE"]],
  ["/projections/t", ["DELETE"]],
  ["/projections/t/a", ["GET", "HEAD"]],
  ["/reset", ["POST"]],
  ["/health", ["GET", "HEAD"]],
  ["/metrics", ["GET", "HEAD"]],
  ["/debug", ["GET", "HEAD"]],
];
for (const [target, allowed] of wrongMethods) {
  Deno.test(`known path ${target} with a wrong method: 405 in plain text with Allow`, async () => {
    for (
      const method of ["GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "QUERY", "OPTIONS", "get", "SEARCH"]
    ) {
      if (allowed.includes(method)) continue;
      const reply = await client.request(method, target);
      if (method === "HEAD") assert.equal(reply.status, 405);
      else assertPlainText(reply, 405);
      const names = (reply.headers.get("allow") ?? "").split(",").map((name) => name.trim());
      assert.deepEqual(names.toSorted(), allowed.toSorted(), `Allow for ${method} ${target}`);
    }
  });
}

Deno.test("HEAD works on every GET route: the head of the GET and no body", async () => {
  for (const target of ["/health", "/metrics", "/debug"]) {
    const get = await client.request("GET", target);
    const head = await client.request("HEAD", target);
    assert.equal(head.status, 200, target);
    assert.equal(head.headers.get("content-type"), get.headers.get("content-type"));
    assert.equal(head.body.length, 0);
  }
  assert.equal((await client.request("HEAD", "/projections/t/absent")).status, 404);
});

Deno.test("a HEAD leaves the connection in step for the next request", async () => {
  using connection = await Connection.open(server.address);
  for (const method of ["HEAD", "GET", "HEAD", "GET"]) {
    await connection.send(client.bytesOf(method, "/health"));
    const reply = await connection.readReply(method);
    assert.equal(reply.status, 200);
    assert.equal(reply.text.includes("ok"), method === "GET");
  }
});

Deno.test("query strings are ignored", async () => {
  assert.equal((await client.request("GET", "/health?x=/../y&%zz")).status, 200);
  assert.equal((await client.request("QUERY", "/events?limit=0", { json: { query: "*" } })).status, 200);
});

Deno.test("no CORS: no answer carries an Access-Control header", async () => {
  for (const method of ["GET", "OPTIONS"]) {
    const headers = { origin: "http://localhost:3000", "access-control-request-method": "GET" };
    const reply = await client.request(method, "/health", { headers });
    assert.deepEqual([...reply.headers.keys()].filter((name) => name.startsWith("access-control")), []);
  }
});

Deno.test("order of checks: path 404, method 405, body size 413, decoding 400", async () => {
  const tooLarge = "{".repeat(1001);
  assertPlainText(await client.request("PUT", "/unknown", { body: tooLarge }), 404);
  assertPlainText(await client.request("PUT", "/write", { body: tooLarge }), 405);
  const message = "request body exceeds maxRequestBodySize (1000 bytes)";
  assertRejected(await client.request("POST", "/write", { body: tooLarge }), 413, "PayloadTooLarge", message);
  assertRejected(
    await client.request("POST", "/write", { body: "{".repeat(1000) }),
    400,
    "InvalidRequest",
    /./,
  );
});

Deno.test("Expect: 100-continue is honoured", async () => {
  using connection = await Connection.open(server.address);
  const body = "{}";
  await connection.send(
    `POST /write HTTP/1.1\r\nhost: x\r\nexpect: 100-continue\r\ncontent-length: ${body.length}\r\n\r\n`,
  );
  assert.equal((await connection.readHead()).status, 100);
  await connection.send(body);
  assert.equal((await connection.readReply("POST")).status, 200);
});

Deno.test("a request in pieces and requests back to back on one connection are answered in order", async () => {
  using connection = await Connection.open(server.address);
  const write = client.bytesOf("POST", "/write", { json: {} });
  for (const byte of write) await connection.send(new Uint8Array([byte]));
  assert.equal((await connection.readReply("POST")).status, 200);
  await connection.send(new Uint8Array([...write, ...client.bytesOf("GET", "/health"), ...write]));
  assert.deepEqual(
    [
      (await connection.readReply("POST")).text.includes("events"),
      (await connection.readReply("GET")).text.includes("ok"),
      (await connection.readReply("POST")).text.includes("events"),
    ],
    [true, true, true],
  );
});
