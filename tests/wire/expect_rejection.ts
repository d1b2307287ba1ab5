import assert from "node:assert/strict";
import { ApiError, type ErrorCode } from "../../src/model/errors.ts";

/** Asserts that `act` throws an ApiError of exactly this code and detail. */
export function expectRejection(act: () => unknown, code: ErrorCode, detail: string | RegExp): void {
  assert.throws(act, (error: unknown) => {
    assert.ok(error instanceof ApiError, `not an ApiError: ${error}`);
    assert.equal(error.code, code);
    if (typeof detail === "string") assert.equal(error.detail, detail);
    else assert.match(error.detail ?? "", detail);
    return true;
  });
}

/** Asserts that `act` is rejected with `400`. */
export function expectInvalid(act: () => unknown, detail: string | RegExp): void {
  expectRejection(act, "InvalidRequest", detail);
}
