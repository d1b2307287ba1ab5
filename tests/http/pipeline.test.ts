import assert from "node:assert/strict";
import { BodyTooLarge } from "../../src/http/exchange.ts";
import { emptyReply, jsonReply } from "../../src/http/replies.ts";
import type { RoutedRequest } from "../../src/http/router.ts";
import { EVERYTHING } from "../../src/model/access.ts";
import { ApiError, ClientDisconnected, OutcomeUnknown } from "../../src/model/errors.ts";
import { setUp, streamOf, wholeText } from "./fake_pipeline.ts";

const tooLarge = (): Promise<never> => Promise.reject(new BodyTooLarge());
const unexpected = (): never => assert.fail("the handler ran");

Deno.test("without a token check, any token and none are accepted", async () => {
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

Deno.test("an unexpected failure is a 500 without details for the client, and is reported whole", async () => {
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

Deno.test("what ends with a token that is removed is 401, but an unknown outcome stays unknown", async () => {
  const end = new AbortController();
  const access = { ...EVERYTHING, gone: end.signal };
  const errors = [
    new ClientDisconnected(),
    new ApiError("TicketNotActive"),
    new ApiError("TransactionNotFound"),
    new ApiError("InternalError", "disk full"),
    new OutcomeUnknown(),
  ];
  let thrown: Error;
  const fail = (): never => {
    throw thrown;
  };
  const { send } = setUp({ "GET /a": fail }, { tokens: { accept: () => access } });
  const statuses = async (): Promise<unknown[]> => {
    const found: unknown[] = [];
    for (thrown of errors) found.push(await send({}).then(({ status }) => status, ({ name }) => name));
    return found;
  };
  assert.deepEqual(await statuses(), ["ClientDisconnected", 410, 404, 500, "OutcomeUnknown"]);
  end.abort();
  assert.deepEqual(await statuses(), [401, 401, 401, 500, "OutcomeUnknown"]);
});
