import assert from "node:assert/strict";
import { Tokens } from "../../src/http/authorization.ts";
import { tokenDigest, type TokenSetting } from "../../src/config/tokens.ts";
import { RIGHTS } from "../../src/model/access.ts";

function token(text: string, more: Partial<TokenSetting> = {}): TokenSetting {
  const rest = { within: undefined, expires: undefined };
  return { name: undefined, sha256: tokenDigest(text), may: RIGHTS, ...rest, ...more };
}

function accepting(text: string): (authorization: string | undefined) => boolean {
  const tokens = new Tokens([token(text)]);
  return (authorization) => tokens.accept(authorization) !== undefined;
}

Deno.test("only the scheme Bearer, one space and the token are accepted", () => {
  const accepted = accepting("secret");
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
  const accepted = accepting("secret");
  assert.equal(accepted("Bearer secret, Bearer secret"), false);
  assert.equal(accepted("Bearer secret, Bearer other"), false);
  assert.equal(accepted("Bearer secret, "), false);
});

Deno.test("a token may hold anything, also what a header joins with", () => {
  assert.equal(accepting("a, b c")("Bearer a, b c"), true);
  assert.equal(accepting("\u00e9")("Bearer e\u0301"), false);
});

Deno.test("texts of any length are compared, and the length of what is compared is always the same", () => {
  // timingSafeEqual throws for inputs of different lengths. The check compares digests, so it never throws.
  const accepted = accepting("x".repeat(1000));
  for (const length of [0, 1, 31, 32, 33, 999, 1000, 1001, 100_000]) {
    assert.equal(accepted(`Bearer ${"x".repeat(length)}`), length === 1000);
  }
});

Deno.test("each of a thousand tokens gives its own access, and no other text gives any", () => {
  const settings = Array.from({ length: 1000 }, (_, i) => token(`t${i}`, { name: `n${i}`, may: ["read"] }));
  const tokens = new Tokens(settings);
  for (const i of settings.keys()) assert.equal(tokens.accept(`Bearer t${i}`)?.name, `n${i}`);
  assert.equal(tokens.accept("Bearer t1000"), undefined);
});

Deno.test("other tokens replace those that are not among them; what did not change stays as it is", () => {
  const [kept, changed, gone] = [
    token("kept", { name: "a", may: ["read"] }),
    token("changed", { name: "b", may: ["read"] }),
    token("gone", { name: "c", may: ["read"] }),
  ];
  const tokens = new Tokens([kept, changed, gone]);
  const before = ["kept", "changed", "gone"].map((text) => tokens.accept(`Bearer ${text}`)!);
  tokens.replace([{ ...kept }, { ...changed, may: ["write"] }, token("new", { name: "c", may: ["read"] })]);
  assert.deepEqual(before.map(({ gone }) => gone!.aborted), [false, true, true]);
  assert.equal(tokens.accept("Bearer kept"), before[0]);
  assert.deepEqual([...tokens.accept("Bearer changed")!.rights], ["write"]);
  assert.equal(tokens.accept("Bearer gone"), undefined);
  assert.equal(tokens.accept("Bearer new")!.name, "c");
});

Deno.test("a token that has expired is not accepted, and what is open by it ends at that moment", async () => {
  const tokens = new Tokens([
    token("past", { name: "a", expires: Date.now() - 1 }),
    token("soon", { name: "a", expires: Date.now() + 300 }),
    // Longer than the longest timer.
    token("late", { name: "a", expires: Date.now() + 1e11 }),
  ]);
  assert.equal(tokens.accept("Bearer past"), undefined);
  const soon = tokens.accept("Bearer soon")!;
  assert.equal(soon.gone!.aborted, false);
  // An event listener does not keep the process waiting, but this timer does.
  const limit = setTimeout(() => assert.fail("it did not end"), 30_000);
  await new Promise((resolve) => soon.gone!.addEventListener("abort", resolve));
  clearTimeout(limit);
  assert.equal(tokens.accept("Bearer soon"), undefined);
  const late = tokens.accept("Bearer late")!;
  assert.equal(late.gone!.aborted, false);
  tokens.replace([]);
});

Deno.test("metrics count by name what tokens with a name do", () => {
  const tokens = new Tokens([
    token("all"),
    token("a", { name: "a" }),
    token("a2", { name: "a", expires: 2e12 }),
  ]);
  for (const text of ["all", "a", "a2", "other"]) tokens.accept(`Bearer ${text}`);
  tokens.accept("Bearer a")!.onForbidden!();
  const samples = tokens.text().split("\n").filter((line) => line !== "" && !line.startsWith("#"));
  assert.deepEqual(samples, [
    'service_token_requests_total{token="a"} 3',
    'service_token_forbidden_total{token="a"} 1',
    'service_token_expiry_timestamp_seconds{token="a"} 2000000000',
  ]);
  tokens.replace([token("all")]);
  assert.equal(new Tokens([token("all")]).text(), "");
});
