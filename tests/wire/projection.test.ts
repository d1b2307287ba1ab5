import assert from "node:assert/strict";
import { countProjectionChanges, decodeProjectionChanges } from "../../src/wire/projection.ts";
import { expectInvalid, expectRejection } from "./expect_rejection.ts";

const limits = { maxProjectionSize: 10 };

Deno.test("lists that are left out are empty", () => {
  const none = { create: [], replace: [], delete: [] };
  for (const value of [undefined, null, {}, { create: null, replace: [] }]) {
    assert.deepEqual(decodeProjectionChanges(value, "projections", limits), none);
    assert.equal(countProjectionChanges(value, "projections"), 0);
  }
});

Deno.test("every list keeps its own fields, in the order sent", () => {
  const changes = {
    create: [{ type: "t", id: "2", payload: "" }, { type: "t", id: "1", payload: "p" }],
    replace: [{ type: "u", id: "1", version: "not a UUID", payload: "\0" }],
    delete: [{ type: "u", id: "..", version: "v" }],
  };
  assert.deepEqual(decodeProjectionChanges(changes, "projections", limits), changes);
  assert.equal(countProjectionChanges(changes, "projections"), 4);
});

Deno.test("type and id are compared as a pair, not as one text", () => {
  const create = [
    { type: "a", id: "bc", payload: "" },
    { type: "ab", id: "c", payload: "" },
    { type: "bc", id: "a", payload: "" },
    { type: "1:a", id: "b", payload: "" },
    { type: "1", id: ":ab", payload: "" },
  ];
  assert.equal(decodeProjectionChanges({ create }, "projections", limits).create.length, 5);
});

Deno.test("a projection of maxProjectionSize bytes is accepted, one byte more is too large", () => {
  const key = { type: "\u00e4", id: "\u20ac" }; // 5 bytes
  const five = { ...key, payload: "\u{1f600}x" };
  const six = { ...key, payload: "\u{1f600}xx" };
  const detail = "[0] is 11 bytes, more than maxProjectionSize (10)";
  assert.equal(decodeProjectionChanges({ create: [five] }, "projections", limits).create.length, 1);
  expectRejection(
    () => decodeProjectionChanges({ create: [six] }, "projections", limits),
    "PayloadTooLarge",
    `projections.create${detail}`,
  );
  const version = "the version does not count";
  decodeProjectionChanges({ replace: [{ ...five, version }] }, "projections", limits);
  expectRejection(
    () => decodeProjectionChanges({ replace: [{ ...six, version }] }, "projections", limits),
    "PayloadTooLarge",
    `projections.replace${detail}`,
  );
  decodeProjectionChanges({ delete: [{ type: "t", id: "123456789", version }] }, "projections", limits);
  expectRejection(
    () =>
      decodeProjectionChanges({ delete: [{ type: "t", id: "1234567890", version }] }, "projections", limits),
    "PayloadTooLarge",
    `projections.delete${detail}`,
  );
});

Deno.test("projections are checked in order, each for its rules and then for its size", () => {
  const large = { type: "t", id: "i", payload: "x".repeat(10) };
  const small = { type: "t", id: "i", payload: "" };
  expectRejection(
    () => decodeProjectionChanges({ create: [large, { type: "t" }] }, "projections", limits),
    "PayloadTooLarge",
    /^projections\.create\[0\]/,
  );
  expectInvalid(
    () => decodeProjectionChanges({ create: [small, large] }, "projections", limits),
    "projections.create[1] has the same type and id as projections.create[0]",
  );
});

Deno.test("lists at the top level of a body are named without a path", () => {
  expectInvalid(
    () => decodeProjectionChanges({ replace: [{ type: "t" }] }, "", limits),
    "replace[0]: id is missing",
  );
  expectInvalid(
    () => decodeProjectionChanges({ create: 1 }, "", limits),
    "create must be an array, not a number",
  );
  expectInvalid(() => decodeProjectionChanges({ update: [] }, "", limits), 'unknown key "update"');
});
