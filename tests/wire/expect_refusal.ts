import assert from "node:assert/strict";
import { type ErrorCode, Refusal } from "../../src/model/errors.ts";

/** Asserts that `act` throws a Refusal of exactly this code and detail. */
export function expectRefusal(act: () => unknown, code: ErrorCode, detail: string | RegExp): void {
  assert.throws(act, (error: unknown) => {
    assert.ok(error instanceof Refusal, `not a Refusal: ${error}`);
    assert.equal(error.code, code);
    if (typeof detail === "string") assert.equal(error.detail, detail);
    else assert.match(error.detail ?? "", detail);
    return true;
  });
}

/** Asserts a `400`. */
export function expectInvalid(act: () => unknown, detail: string | RegExp): void {
  expectRefusal(act, "InvalidRequest", detail);
}
