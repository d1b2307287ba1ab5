import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import { Connection } from "../support/connection.ts";
import { eventually } from "../support/eventually.ts";
import { failWrites } from "../support/failing_writes.ts";
import { type ServerProcess, startServer } from "../support/server_process.ts";

const SECRET = "s3cret";
const event = { type: "t", identifiers: {}, payload: "" };

/** The lines on standard error, once there are as many as expected; the program's name is left out. */
async function reasonsOf(server: ServerProcess, count: number): Promise<string[]> {
  const lines = (): string[] => server.stderr.split("\n").slice(0, -1);
  await eventually(() => assert.equal(lines().length, count, server.stderr));
  return lines().map((line) => {
    assert.ok(line.startsWith("eventstore-server: "), line);
    return line.slice("eventstore-server: ".length);
  });
}

Deno.test("logReasons: one line on standard error for each 400 and 413, with path and reason, nothing of the body", async () => {
  await using server = await startServer({ env: { SERVICE_LOG_REASONS: "true" } });
  const client = server.client();
  const sent: [send: () => Promise<unknown>, line: string][] = [
    [() => client.write({ events: [{}] }), "POST /write 400: events[0]: type is missing"],
    [() => client.write({ [SECRET]: 1 }), 'POST /write 400: unknown key "..."'],
    [
      () => client.request("POST", "/write", { body: `{"${SECRET}` }),
      "POST /write 400: body is not valid JSON at position 8",
    ],
    [
      () => client.request("POST", "/write", { body: `{"a": ${SECRET}}` }),
      "POST /write 400: body is not valid JSON",
    ],
    [
      () => client.request("POST", "/write", { body: `{"${SECRET}": [{"${SECRET}":1,"${SECRET}":2}]}` }),
      'POST /write 400: "..."[0]: key "..." occurs twice',
    ],
    [
      () => client.write({ events: [{ ...event, identifiers: { [SECRET]: [] } }] }),
      'POST /write 400: events[0]: identifiers: "..." is an empty array; omit the key',
    ],
    [
      () => client.queryEvents(SECRET),
      'QUERY /events 400: query must be "*" or a non-empty array of items, not "..."',
    ],
    [
      () => client.queryEvents("*", { limit: 314159 }),
      "QUERY /events 400: limit is more than maxEventsPerPage (10000)",
    ],
    [
      () => client.write({ events: [{ ...event, payload: SECRET.repeat(20_000) }] }),
      "POST /write 413: events[0] is 120001 bytes, more than maxEventSize (65536)",
    ],
    [
      () => client.request("GET", "/projections/t/%FF"),
      'GET /projections/t/%FF 400: the path segment "%FF" is not valid percent-encoded UTF-8',
    ],
  ];
  for (const [i, [send, line]] of sent.entries()) {
    await send();
    assert.equal((await reasonsOf(server, i + 1)).at(-1), line);
  }
  // Other rejections have no such line, nor have requests that succeed.
  await client.append(event);
  await client.request("GET", "/unknown");
  await client.write({ conditions: [{ failIfEventsMatch: "*" }] });
  const { stdout, stderr } = await server.stop();
  assert.equal(stderr.trimEnd().split("\n").length, sent.length);
  assert.equal(stderr.includes(SECRET), false);
  assert.doesNotMatch(stdout, /\[INFO\]/, "the line for each request is that of logLevel, as ever");
});

Deno.test("logReasons: no request forges a line, and a long path is cut", async () => {
  await using server = await startServer({ env: { SERVICE_LOG_REASONS: "1" } });
  const client = server.client();
  const forged = encodeURIComponent("\neventstore-server: forged");
  await client.request("GET", `/projections/t/${forged}\u00e9`.replace("\u00e9", "%FF"));
  await client.request("GET", `/projections/t/${"x".repeat(50_000)}%FF`);
  using connection = await Connection.open(server.address);
  await connection.send(new TextEncoder().encode("GET /\r\neventstore-server: forged\r\n\r\n"));
  const lines = await reasonsOf(server, 3);
  assert.deepEqual(lines.filter((line) => /^forged/.test(line)), []);
  assert.match(lines[1]!, /^GET \/projections\/t\/x{185}\.\.\. 400: the path segment/);
  for (const line of lines) assert.ok(line.length < 600, line);
  assert.match(lines[2]!, /^- - 400: /);
});

Deno.test("logReasons: a 500 has its path and the reason, which clients get too", async () => {
  await using server = await startServer({ env: { SERVICE_LOG_REASONS: "1" } });
  {
    using _failing = failWrites(server);
    await server.client().write({ events: [{ ...event, payload: SECRET }] });
  }
  const told = /^POST \/write 500: nothing was written: .*a fault$/;
  await eventually(() => {
    const lines = server.stderr.split("\n").map((line) => line.replace("eventstore-server: ", ""));
    assert.equal(lines.filter((line) => told.test(line)).length, 1, server.stderr);
  });
  assert.equal(server.stderr.includes(SECRET), false);
});

Deno.test("logReasons: bytes that are not HTTP have a reason too, TLS above all", async () => {
  await using server = await startServer({ env: { SERVICE_LOG_REASONS: "1" } });
  using connection = await Connection.open(server.address);
  await connection.send(Uint8Array.of(0x16, 0x03, 0x01, 0x02, 0x00, 0x01));
  const [line] = await reasonsOf(server, 1);
  assert.equal(
    line,
    "- - 400: this is TLS, but the server speaks plain HTTP: use http://, or a proxy that terminates TLS",
  );
});

Deno.test("without logReasons a rejected request has no line on standard error", async () => {
  await using server = await startServer();
  await server.client().write({ events: [{}] });
  assert.equal((await server.stop()).stderr, "");
});

const TIME = String.raw`\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z`;

Deno.test("logTimestamps: every line of the server begins with the time in UTC, also the first and the last", async () => {
  const env = { SERVICE_LOG_TIMESTAMPS: "true", SERVICE_LOG_REASONS: "true", SERVICE_LOG_LEVEL: "debug" };
  await using server = await startServer({ listen: "tcp", listenOnly: true, env });
  await server.client().write({ events: [{}] });
  const { stdout, stderr } = await server.stop();
  const lines = [...stdout.split("\n").slice(0, -1), ...stderr.split("\n").slice(0, -1)];
  assert.deepEqual(
    lines.map((line) => line.replace(new RegExp(`^${TIME} eventstore-server: `), "").split(" ")[0]),
    [
      "version",
      "edition",
      "listening",
      "[INFO]",
      "stopped",
      "POST",
    ],
  );
});

Deno.test("a body that is compressed is rejected with words that say so", async () => {
  await using server = await startServer();
  const body = gzipSync(JSON.stringify({ events: [event] }));
  const reply = await server.client().request("POST", "/write", { body });
  assert.equal(reply.status, 400);
  assert.deepEqual(reply.json(), {
    error: "InvalidRequest",
    message: "body is compressed (gzip): send it as it is, without Content-Encoding",
  });
});

Deno.test("an error of the interface ends with a line feed, and its length counts it", async () => {
  for (const edition of ["A", "B", "C"]) {
    await using server = await startServer({ env: { SERVICE_EDITION: edition } });
    const client = server.client();
    const query = await client.request("QUERY", "/events", { json: { query: [] } });
    const absent = await client.request("GET", "/projections/t/1");
    const unknown = await client.request("GET", "/unknown");
    for (const reply of [query, absent, unknown]) {
      assert.equal(reply.text.at(-1), "\n", `${edition} ${reply.status}`);
      assert.equal(reply.headers.get("content-length"), String(new TextEncoder().encode(reply.text).length));
    }
    assert.equal(query.json<{ error: string }>().error, "InvalidRequest");
  }
});
