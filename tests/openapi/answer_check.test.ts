import assert from "node:assert/strict";
import { join } from "node:path";
import { Client } from "../support/client.ts";
import { Connection, type Reply } from "../support/connection.ts";
import { answerCheckOf, UndocumentedAnswer } from "../support/openapi/answer_check.ts";
import { startServer } from "../support/server_process.ts";

/* The tests notice answers that are not documented: each answer here is wrong in one way. */

const STORE = "7c9e6679-7425-40de-944b-e07fc1f90ae7";
const EVENT = {
  sequence: 1,
  time: "2026-11-20T19:07:36.048101Z",
  type: "t",
  identifiers: { a: "1", b: ["1", "2"] },
  metadata: {},
  payload: "",
};
const PAGE_HEADERS = {
  "content-type": "application/x-ndjson",
  "x-service-store": STORE,
  "x-service-head": "1",
  "cache-control": "no-store",
};

type Wrong = readonly [what: string, answer: Partial<Answer>, fault: RegExp];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly text: string;
  readonly cutShort: boolean;
}

function without(name: string): Record<string, string> {
  return Object.fromEntries(Object.entries(PAGE_HEADERS).filter(([key]) => key !== name));
}

function page(...lines: readonly unknown[]): string {
  return lines.map((line) => `${JSON.stringify(line)}\n`).join("");
}

const RIGHT: Answer = {
  status: 200,
  headers: PAGE_HEADERS,
  text: page(EVENT, { hasMore: false }),
  cutShort: false,
};

function faults(
  answer: Partial<Answer>,
  asked: { method?: string; target?: string; json?: unknown } = {},
): string[] {
  const { method = "QUERY", target = "/events", json = { query: "*" } } = asked;
  const { headers, ...rest } = { ...RIGHT, ...answer };
  const body = new TextEncoder().encode(JSON.stringify(json));
  return answerCheckOf("A").faults({ method, target, body }, {
    ...rest,
    headers: new Map(Object.entries(headers)),
  });
}

function rejection(status: number, envelope: unknown): Partial<Answer> {
  const { error = "" } = envelope as { readonly error?: string };
  const headers = { "content-type": "application/json", "x-service-error": error };
  return { status, headers, text: JSON.stringify(envelope) };
}

const PLAIN = { headers: { "content-type": "text/plain; charset=utf-8" }, text: "unknown path\n" };

Deno.test("answers as documented have no faults", () => {
  assert.deepEqual(faults({}), []);
  assert.deepEqual(faults({ text: page(EVENT) + '{"seq', cutShort: true }), []);
  assert.deepEqual(faults(rejection(400, { error: "InvalidRequest", message: "x" })), []);
  assert.deepEqual(faults({ status: 404, ...PLAIN }, { target: "/unknown" }), []);
});

const WRONG_PAGES: readonly Wrong[] = [
  ["another status", { status: 201 }, /status 201 is not documented/],
  ["no store ID", { headers: without("x-service-store") }, /x-service-store is missing/],
  ["no head", { headers: without("x-service-head") }, /x-service-head is missing/],
  [
    "a store ID that is none",
    { headers: { ...PAGE_HEADERS, "x-service-store": "s1" } },
    /x-service-store must match/,
  ],
  [
    "a head that is no number",
    { headers: { ...PAGE_HEADERS, "x-service-head": "x" } },
    /x-service-head must be/,
  ],
  [
    "another header",
    { headers: { ...PAGE_HEADERS, "x-service-more": "1" } },
    /x-service-more is not documented/,
  ],
  [
    "another media type",
    { headers: { ...PAGE_HEADERS, "content-type": "application/json" } },
    /Content-Type/,
  ],
  ["a line of another kind", { text: page({ sequence: 1 }) }, /line 1 .*required/],
  ["an event with one key more", { text: page({ ...EVENT, id: 1 }) }, /line 1 .*additional/],
  ["a time without microseconds", { text: page({ ...EVENT, time: "2026-11-20T19:07:36Z" }) }, /line 1.time/],
  ["an event without a sequence", { text: page({ ...EVENT, sequence: 0 }) }, /line 1.sequence/],
  ["one value of a tag in an array", { text: page({ ...EVENT, metadata: { a: ["1"] } }) }, /line 1.metadata/],
];

const WRONG_REJECTIONS: readonly Wrong[] = [
  ["an unknown error", rejection(400, { error: "Unknown", message: "x" }), /body.error/],
  ["an error of another status", rejection(400, { error: "WriteQueueFull" }), /body.error/],
  [
    "an error that only other operations have",
    rejection(409, { error: "ConcurrencyException" }),
    /status 409/,
  ],
  ["an error without its message", rejection(400, { error: "InvalidRequest" }), /message/],
  [
    "a message where there must be none",
    rejection(503, { error: "Unavailable", detail: "x" }),
    /detail|message/,
  ],
  [
    "an error that does not say that it is the server's own",
    {
      ...rejection(400, { error: "InvalidRequest", message: "x" }),
      headers: { "content-type": "application/json" },
    },
    /x-service-error is missing/,
  ],
  [
    "a rejection in HTML",
    { status: 400, headers: { "content-type": "text/html" }, text: "" },
    /Content-Type/,
  ],
];

for (const [what, answer, fault] of [...WRONG_PAGES, ...WRONG_REJECTIONS]) {
  Deno.test(`an answer that is not documented is a fault: ${what}`, () => {
    assert.match(faults(answer).join("\n"), fault);
  });
}

Deno.test("an answer where there is no operation is a fault, unless it says so", () => {
  assert.match(faults({}, { target: "/unknown" }).join(), /unknownPath/);
  assert.match(faults({}, { method: "POST" }).join(), /wrongMethod/);
  assert.match(faults({ status: 405, ...PLAIN }, { method: "POST" }).join(), /without Allow/);
  assert.match(faults({ status: 404, ...PLAIN }, { method: "POST" }).join(), /wrongMethod/);
  assert.deepEqual(faults({ status: 404, ...PLAIN }, { method: "GET", target: "/reset" }), []);
  assert.match(faults({ status: 404, ...PLAIN }).join(), /404 is not documented/);
  assert.match(faults({}, { target: "/projections/%zz/1" }).join(), /malformed/);
});

Deno.test("a request that was accepted although the document does not allow it is a fault", () => {
  assert.match(faults({}, { json: { query: "*", offset: 1 } }).join(), /accepted request.*offset/);
  assert.match(faults({}, { json: { query: "all" } }).join(), /accepted request.query/);
  assert.deepEqual(faults({}, { json: { query: "*", limit: null } }), []);
});

Deno.test("a client of a test fails on a wrong answer, however it is read", async () => {
  await using server = Deno.serve({ port: 0, hostname: "127.0.0.1", onListen: () => {} }, () => {
    return new Response('{"status":"ok","version":1}', { headers: { "content-type": "application/json" } });
  });
  const address = { transport: "tcp", hostname: "127.0.0.1", port: server.addr.port } as const;
  const documented = answerCheckOf("A");
  const client = new Client(address, {}, (asked, reply: Reply) => documented.assertDocumented(asked, reply));
  await assert.rejects(client.request("GET", "/health"), UndocumentedAnswer);
  using connection: Connection = await client.begin("GET", "/health");
  await assert.rejects(connection.readReply("GET"), UndocumentedAnswer);
});

Deno.test("a server that tests start is held to the document of its edition", async () => {
  {
    await using server = await startServer({ listen: "unix", config: '[server]\nedition = "B"\n' });
    assert.equal((await server.client().request("GET", "/stats")).status, 200);
  }
  const directory = await Deno.makeTempDir({ prefix: "eventstore_test_" });
  try {
    await Deno.writeTextFile(join(directory, "other.toml"), '[server]\nedition = "B"\n');
    // The support code does not know the edition of this server, and assumes the default.
    await using server = await startServer({ listen: "unix", directory, args: ["--config", "other.toml"] });
    await assert.rejects(server.client().request("GET", "/stats"), UndocumentedAnswer);
  } finally {
    await Deno.remove(directory, { recursive: true });
  }
});
