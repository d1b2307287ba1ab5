import assert from "node:assert/strict";
import { errorReply } from "../../src/http/error_replies.ts";
import { type ErrorCode, Refusal } from "../../src/model/errors.ts";

Deno.test("what an error says to programs stands beside its code and its message", () => {
  const bodyOf = (error: Refusal): unknown => errorReply(error).reply.body;
  const conflict = { condition: 2, sequence: 7 };
  assert.equal(
    bodyOf(new Refusal("ConcurrencyException", "m", { conflict })),
    '{"error":"ConcurrencyException","message":"m","conflict":{"condition":2,"sequence":7}}\n',
  );
  assert.equal(bodyOf(new Refusal("Unauthorized", "m")), '{"error":"Unauthorized","message":"m"}\n');
  assert.equal(bodyOf(new Refusal("Paused")), '{"error":"Paused"}\n');
});

Deno.test("every error of the specification has its status and its log level", () => {
  const documented: [ErrorCode, number, string][] = [
    ["InvalidRequest", 400, "info"],
    ["Unauthorized", 401, "info"],
    ["ProjectionNotFound", 404, "debug"],
    ["ConcurrencyException", 409, "debug"],
    ["PayloadTooLarge", 413, "info"],
    ["InternalError", 500, "error"],
    ["WriteQueueFull", 503, "warning"],
    ["ShuttingDown", 503, "info"],
    ["Unavailable", 503, "error"],
  ];
  for (const [code, status, level] of documented) {
    const answer = errorReply(new Refusal(code));
    assert.deepEqual({ status: answer.reply.status, level: answer.level }, { status, level }, code);
  }
});
