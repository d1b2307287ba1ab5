import assert from "node:assert/strict";
import type { AccessLine } from "../../src/log/log.ts";
import { BodyTooLarge, type HttpRequest, type Reply } from "../../src/http/exchange.ts";
import { makePipeline, type PipelineOptions } from "../../src/http/pipeline.ts";
import { emptyReply, jsonReply } from "../../src/http/replies.ts";
import { RequestMetrics } from "../../src/http/request_metrics.ts";
import type { Route, RoutedRequest } from "../../src/http/router.ts";
import type { LogLevel } from "../../src/log/level.ts";
import { ApiError, ClientDisconnected, OutcomeUnknown } from "../../src/model/errors.ts";

interface Sent {
  readonly method?: string;
  readonly target?: string;
  readonly authorization?: string;
  /** Other header fields, by lower-case name. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Reads the body; counted. */
  readonly body?: (bytesMax: number) => Promise<Uint8Array<ArrayBuffer>>;
}

/** A pipeline over fake routes, and what it logged and reported. */
function setUp(
  handlers: Readonly<Record<string, Route["handle"]>>,
  { body = "ignored", ...options }: Partial<PipelineOptions> & { body?: Route["body"] } = {},
): {
  send: (sent: Sent) => Promise<Reply>;
  lines: (AccessLine & { level: LogLevel })[];
  reported: Error[];
  reasons: string[];
} {
  const lines: (AccessLine & { level: LogLevel })[] = [];
  const reported: Error[] = [];
  const reasons: string[] = [];
  const routes = Object.entries(handlers).map(([name, handle]): Route => {
    const [method, path] = name.split(" ") as [Route["method"], string];
    return { method, path, body, handle };
  });
  const handler = makePipeline({
    routes,
    tokenAccepted: undefined,
    bodyLimit: { bytesMax: 10, message: "the body is too long" },
    log: {
      isWanted: () => true,
      write: (level, line) => lines.push({ level, ...line }),
      rejected: ({ path, status }, reason) => reasons.push(`${path} ${status}: ${reason}`),
    },
    metrics: new RequestMetrics(),
    reportFailure: (error) => reported.push(error),
    ...options,
  });
  const send = (sent: Sent): Promise<Reply> => {
    const request: HttpRequest = {
      method: sent.method ?? "GET",
      target: sent.target ?? "/a",
      header: (name) => name === "authorization" ? sent.authorization : sent.headers?.[name],
      body: sent.body ?? nothing,
      discardBody: async (bytesMax) => void await (sent.body ?? nothing)(bytesMax),
      releaseBody: () => {},
      disconnected: new AbortController().signal,
    };
    return handler(request);
  };
  return { send, lines, reported, reasons };
}

const nothing = (): Promise<Uint8Array<ArrayBuffer>> => Promise.resolve(new Uint8Array());

/** The text of a body that is there as a whole. */
function wholeText({ body }: Reply): string {
  assert.equal(typeof body, "string");
  return body as string;
}

const tooLarge = (): Promise<never> => Promise.reject(new BodyTooLarge());
const unexpected = (): never => assert.fail("the handler ran");

Deno.test("order of checks: the token before the path, the path before the method, the method before the body", async () => {
  const { send } = setUp({ "POST /a": unexpected }, {
    tokenAccepted: (authorization) => authorization === "Bearer t",
  });
  const status = async (sent: Sent): Promise<number> => (await send({ ...sent, body: tooLarge })).status;
  const authorization = "Bearer t";
  assert.equal(await status({ target: "/unknown" }), 401);
  assert.equal(await status({ target: "/%zz" }), 401);
  assert.equal(await status({ target: "/a", method: "GET" }), 401);
  assert.equal(await status({ target: "/unknown", authorization }), 404);
  assert.equal(await status({ target: "/%zz", authorization }), 400);
  assert.equal(await status({ target: "/a", method: "GET", authorization }), 405);
  assert.equal(await status({ target: "/a", method: "POST", authorization }), 413);
});

Deno.test("without a token check nothing is asked", async () => {
  const { send } = setUp({ "GET /a": () => emptyReply(204) });
  assert.equal((await send({})).status, 204);
  assert.equal((await send({ authorization: "nonsense" })).status, 204);
});

Deno.test("unknown paths, wrong methods and broken escapes are answered in plain text of one line", async () => {
  const { send, lines } = setUp({ "GET /a": unexpected, "DELETE /a": unexpected });
  for (
    const [sent, status, body] of [
      [{ target: "/b" }, 404, "unknown path\n"],
      [{ target: "/a/.." }, 404, "unknown path\n"],
      [{ method: "PUT" }, 405, "this path allows only GET, HEAD, DELETE\n"],
      [{ target: "/%ff" }, 400, 'the path segment "%ff" is not valid percent-encoded UTF-8\n'],
    ] as const
  ) {
    const reply = await send(sent);
    assert.equal(reply.status, status);
    assert.equal(reply.headers["Content-Type"], "text/plain; charset=utf-8");
    assert.equal(wholeText(reply), body);
    assert.equal(reply.headers["Allow"], status === 405 ? "GET, HEAD, DELETE" : undefined);
  }
  assert.deepEqual(lines.map(({ level }) => level), ["info", "info", "info", "info"]);
});

Deno.test("a rejection becomes its status and envelope, with or without a message, at its level", async () => {
  const { send, lines, reported } = setUp({
    "GET /a": () => Promise.reject(new ApiError("ConcurrencyException", "conditions[0] no longer holds")),
    "GET /b": () => {
      throw new ApiError("WriteQueueFull");
    },
  });
  const first = await send({});
  assert.equal(first.status, 409);
  assert.equal(first.headers["Content-Type"], "application/json");
  assert.equal(
    wholeText(first),
    '{"error":"ConcurrencyException","message":"conditions[0] no longer holds"}\n',
  );
  const second = await send({ target: "/b" });
  assert.deepEqual([second.status, wholeText(second)], [503, '{"error":"WriteQueueFull"}\n']);
  assert.deepEqual(lines.map(({ level, status }) => [level, status]), [["debug", 409], ["warning", 503]]);
  assert.deepEqual(reported, []);
});

Deno.test("an unexpected failure is a 500 that tells the client nothing, and is reported whole", async () => {
  const failure = new Error("a secret of the server");
  const { send, lines, reported } = setUp({ "GET /a": () => Promise.reject(failure) });
  const reply = await send({});
  assert.equal(reply.status, 500);
  assert.equal(wholeText(reply).includes("secret"), false);
  assert.deepEqual(reported, [failure]);
  assert.equal(lines[0]?.level, "error");
});

Deno.test("a body over the cap is 413 with the message of the edition; another failure to read it is not", async () => {
  const reading = { body: "handled" } as const;
  const { send } = setUp({
    "POST /a": async (request: RoutedRequest) => (await request.body(), emptyReply(204)),
  }, reading);
  let capped = 0;
  const body = (bytesMax: number): Promise<Uint8Array<ArrayBuffer>> => {
    capped = bytesMax;
    return Promise.resolve(new Uint8Array(3));
  };
  assert.equal((await send({ method: "POST", body })).status, 204);
  assert.equal(capped, 10);
  const reply = await send({ method: "POST", body: tooLarge });
  assert.equal(reply.status, 413);
  assert.equal(wholeText(reply), '{"error":"PayloadTooLarge","message":"the body is too long"}\n');
  await assert.rejects(
    send({ method: "POST", body: () => Promise.reject(new ClientDisconnected()) }),
    ClientDisconnected,
  );
});

Deno.test("the body of an endpoint that takes none is read and ignored before the handler runs, within the cap", async () => {
  const events: string[] = [];
  const { send } = setUp({ "GET /a": () => (events.push("handled"), emptyReply(204)) });
  const body = (): Promise<Uint8Array<ArrayBuffer>> => {
    events.push("read");
    return Promise.resolve(new Uint8Array(3));
  };
  assert.equal((await send({ body })).status, 204);
  assert.deepEqual(events, ["read", "handled"]);
  assert.equal((await send({ body: tooLarge })).status, 413);
  assert.deepEqual(events, ["read", "handled"]);
});

Deno.test("HEAD gets status and headers of GET, the length of its body, and no body", async () => {
  const { send, lines } = setUp({
    "GET /a": () => jsonReply(200, { a: "\u00e9" }, { "X-B": "c" }),
    "GET /s": () => ({ status: 200, headers: {}, body: streamOf("never read") }),
  });
  const reply = await send({ method: "HEAD" });
  assert.deepEqual(reply, {
    status: 200,
    headers: { "Content-Type": "application/json", "X-B": "c", "Content-Length": "10" },
    body: null,
  });
  assert.equal(lines[0]?.bytes, 0);
  const stream = await send({ method: "HEAD", target: "/s" });
  assert.deepEqual([stream.body, stream.headers["Content-Length"]], [null, undefined]);
});

async function* streamOf(...pieces: string[]): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
  for (const piece of pieces) yield new TextEncoder().encode(piece);
}

async function textOf(body: Reply["body"]): Promise<string> {
  let text = "";
  for await (const piece of body as AsyncIterable<Uint8Array>) text += new TextDecoder().decode(piece);
  return text;
}

Deno.test("each request is one line in the log: path as sent without its query, size, level debug for success", async () => {
  const { send, lines } = setUp({ "GET /a": () => jsonReply(200, "\u00e9") });
  await send({ target: "/a?secret=1" });
  const { milliseconds, ...line } = lines[0]!;
  assert.ok(milliseconds >= 0 && milliseconds < 1000);
  assert.deepEqual(line, { level: "debug", method: "GET", path: "/a", status: 200, bytes: 4 });
  assert.equal(lines.length, 1);
});

Deno.test("a stream is logged when it has ended, with the bytes that went out, also when it breaks or is given up", async () => {
  async function* broken(): AsyncGenerator<Uint8Array<ArrayBuffer>, void> {
    yield* streamOf("12345");
    throw new Error("broken");
  }
  const { send, lines } = setUp({
    "GET /whole": () => ({ status: 200, headers: {}, body: streamOf("123", "45") }),
    "GET /broken": () => ({ status: 200, headers: {}, body: broken() }),
  });
  const whole = await send({ target: "/whole" });
  assert.equal(lines.length, 0);
  assert.equal(await textOf(whole.body), "12345");
  assert.equal(lines[0]?.bytes, 5);
  const failing = await send({ target: "/broken" });
  await assert.rejects(textOf(failing.body), /broken/);
  assert.equal(lines[1]?.bytes, 5);
  const givenUp = await send({ target: "/whole" });
  for await (const piece of givenUp.body as AsyncIterable<Uint8Array>) {
    assert.equal(piece.length, 3);
    break;
  }
  assert.deepEqual(lines.map(({ bytes }) => bytes), [5, 5, 3]);
});

Deno.test("a request that must not be answered stays unanswered, and has its line", async () => {
  const { send, lines, reasons } = setUp({
    "GET /left": () => Promise.reject(new ClientDisconnected()),
    "GET /unknown": () => Promise.reject(new OutcomeUnknown("the COMMIT failed")),
  });
  await assert.rejects(send({ target: "/left" }), ClientDisconnected);
  await assert.rejects(send({ target: "/unknown" }), OutcomeUnknown);
  assert.deepEqual(lines.map(({ level, status, bytes }) => [level, status, bytes]), [
    ["debug", 499, 0],
    ["error", 500, 0],
  ]);
  assert.deepEqual(reasons, ["/unknown 500: the outcome is unknown; there was no answer"]);
});

Deno.test("a call has its decoded segments and its query string", async () => {
  let seen: unknown;
  const { send } = setUp({
    "GET /p/:type/:id": (call) => {
      seen = [call.segments, call.query];
      return emptyReply(204);
    },
  });
  await send({ target: "/p/a%2Fb/%2e%2e?x=%2F?y" });
  assert.deepEqual(seen, [["a/b", ".."], "x=%2F?y"]);
});

Deno.test("a stream that fails in the middle is reported, one whose client left is not", async () => {
  async function* failing(error: Error): AsyncGenerator<Uint8Array<ArrayBuffer>> {
    yield new Uint8Array(1);
    await Promise.resolve();
    throw error;
  }
  const reply = (error: Error): Reply => ({ status: 200, headers: {}, body: failing(error) });
  const { send, reported } = setUp({
    "GET /broken": () => reply(new Error("the disk is gone")),
    "GET /left": () => reply(new ClientDisconnected()),
  });
  for (const target of ["/broken", "/left"]) {
    const { body } = await send({ target });
    await assert.rejects(Array.fromAsync(body as AsyncIterable<Uint8Array>));
  }
  assert.deepEqual(reported.map(({ message }) => message), ["the disk is gone"]);
});

Deno.test("a call has the header fields of its request, before its body is read", async () => {
  const seen: (string | undefined)[] = [];
  const { send } = setUp({
    "POST /a": (call) => {
      seen.push(call.header("x-some"), call.header("x-other"), call.header("x-empty"));
      return emptyReply(204);
    },
  }, { body: "handled" });
  const headers = { "x-some": "a, b", "x-empty": "" };
  const body = (): never => assert.fail("the body was read");
  assert.equal((await send({ method: "POST", headers, body })).status, 204);
  assert.deepEqual(seen, ["a, b", undefined, ""]);
});
