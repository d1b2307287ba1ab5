import assert from "node:assert/strict";
import { errorTable, Refusal } from "../../src/model/errors.ts";

Deno.test("every error of the specification has its status and its log level", () => {
  const documented: [keyof typeof errorTable, number, string][] = [
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
    assert.deepEqual(errorTable[code], { status, level }, code);
  }
});

Deno.test("a refusal carries its code and the message of the envelope", () => {
  const refusal = new Refusal("InvalidRequest", "events[3]: payload is missing");
  assert.ok(refusal instanceof Error);
  assert.equal(refusal.code, "InvalidRequest");
  assert.equal(refusal.detail, "events[3]: payload is missing");
  assert.equal(refusal.message, "InvalidRequest: events[3]: payload is missing");
});

Deno.test("a refusal without a detail has no message for the envelope", () => {
  const refusal = new Refusal("WriteQueueFull");
  assert.equal(refusal.detail, undefined);
  assert.equal(refusal.message, "WriteQueueFull");
});
