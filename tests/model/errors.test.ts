import assert from "node:assert/strict";
import { ApiError } from "../../src/model/errors.ts";

Deno.test("a rejection carries its code and the message of the envelope", () => {
  const rejection = new ApiError("InvalidRequest", "events[3]: payload is missing");
  assert.ok(rejection instanceof Error);
  assert.equal(rejection.code, "InvalidRequest");
  assert.equal(rejection.detail, "events[3]: payload is missing");
  assert.equal(rejection.message, "InvalidRequest: events[3]: payload is missing");
});

Deno.test("a rejection without a detail has no message for the envelope", () => {
  const rejection = new ApiError("WriteQueueFull");
  assert.equal(rejection.detail, undefined);
  assert.equal(rejection.message, "WriteQueueFull");
});
