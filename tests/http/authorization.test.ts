import assert from "node:assert/strict";
import { makeTokenCheck } from "../../src/http/authorization.ts";

Deno.test("only the scheme Bearer, one space and the token are accepted", () => {
  const accepted = makeTokenCheck("secret");
  assert.equal(accepted("Bearer secret"), true);
  const others = [
    undefined,
    "",
    "Bearer",
    "Bearer ",
    "secret",
    "bearer secret",
    "Bearer  secret",
    "Bearer secret ",
    "Bearer secre",
    "Bearer secrets",
    "Bearer Secret",
    "Basic secret",
    "Bearer secret\u0000",
  ];
  for (const authorization of others) assert.equal(accepted(authorization), false, authorization);
});

Deno.test("two headers, joined as the transport joins them, are not accepted", () => {
  const accepted = makeTokenCheck("secret");
  assert.equal(accepted("Bearer secret, Bearer secret"), false);
  assert.equal(accepted("Bearer secret, Bearer other"), false);
  assert.equal(accepted("Bearer secret, "), false);
});

Deno.test("a token may hold anything, also what a header joins with", () => {
  assert.equal(makeTokenCheck("a, b c")("Bearer a, b c"), true);
  assert.equal(makeTokenCheck("\u00e9")("Bearer e\u0301"), false);
});

Deno.test("texts of any length are compared, and the length of what is compared is always the same", () => {
  // timingSafeEqual throws for inputs of different lengths. The check compares digests, so it never throws.
  const accepted = makeTokenCheck("x".repeat(1000));
  for (const length of [0, 1, 31, 32, 33, 999, 1000, 1001, 100_000]) {
    assert.equal(accepted(`Bearer ${"x".repeat(length)}`), length === 1000);
  }
});
