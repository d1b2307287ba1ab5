import assert from "node:assert/strict";
import { ApiError } from "../../src/model/errors.ts";

Deno.test("a refusal carries its code and the message of the envelope", () => {
  const refusal = new ApiError("InvalidRequest", "events[3]: payload is missing");
  assert.ok(refusal instanceof Error);
  assert.equal(refusal.code, "InvalidRequest");
  assert.equal(refusal.detail, "events[3]: payload is missing");
  assert.equal(refusal.message, "InvalidRequest: events[3]: payload is missing");
});

Deno.test("a refusal without a detail has no message for the envelope", () => {
  const refusal = new ApiError("WriteQueueFull");
  assert.equal(refusal.detail, undefined);
  assert.equal(refusal.message, "WriteQueueFull");
});
