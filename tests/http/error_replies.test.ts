import assert from "node:assert/strict";
import { errorReply, plainErrorReply } from "../../src/http/error_replies.ts";
import { Malformed } from "../../src/http/exchange.ts";
import { ApiError, type ErrorCode } from "../../src/model/errors.ts";

Deno.test("the fields of an error for programs stand next to its code and its message", () => {
  const bodyOf = (error: ApiError): unknown => errorReply(error).reply.body;
  const conflict = { condition: 2, sequence: 7 };
  assert.equal(
    bodyOf(new ApiError("ConcurrencyException", "m", { conflict })),
    '{"error":"ConcurrencyException","message":"m","conflict":{"condition":2,"sequence":7}}\n',
  );
  assert.equal(bodyOf(new ApiError("Unauthorized", "m")), '{"error":"Unauthorized","message":"m"}\n');
  assert.equal(bodyOf(new ApiError("Paused")), '{"error":"Paused"}\n');
});

Deno.test("every error of the specification has its status and its log level", () => {
  const documented: [ErrorCode, number, string][] = [
    ["InvalidRequest", 400, "info"],
    ["Unauthorized", 401, "info"],
    ["ProjectionNotFound", 404, "debug"],
    ["ConcurrencyException", 409, "debug"],
    ["PayloadTooLarge", 413, "info"],
    ["InternalError", 500, "error"],
    ["DiskFull", 507, "error"],
    ["WriteQueueFull", 503, "warning"],
    ["ShuttingDown", 503, "info"],
    ["Unavailable", 503, "error"],
  ];
  for (const [code, status, level] of documented) {
    const answer = errorReply(new ApiError(code));
    assert.equal(answer.reply.headers["X-Service-Error"], code);
    assert.deepEqual({ status: answer.reply.status, level: answer.level }, { status, level }, code);
  }
});

Deno.test("every error says in a header that it is the server's own", () => {
  const codeOf = ({ headers }: { readonly headers: Readonly<Record<string, string>> }): unknown =>
    headers["X-Service-Error"];
  assert.equal(codeOf(errorReply(new TypeError("a bug")).reply), "InternalError");
  for (const status of [400, 431] as const) {
    assert.equal(codeOf(errorReply(new Malformed("no line", status)).reply), "InvalidRequest");
  }
  assert.equal(codeOf(plainErrorReply(405, "no", { Allow: "GET" })), "InvalidRequest");
  const { headers } = errorReply(new ApiError("ProjectionNotFound"), { "X-Service-Store": "s" }).reply;
  assert.deepEqual(headers, {
    "Content-Type": "application/json",
    "X-Service-Store": "s",
    "X-Service-Error": "ProjectionNotFound",
  });
});
