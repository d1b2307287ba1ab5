import assert from "node:assert/strict";
import { Malformed } from "../../src/http/exchange.ts";
import { decodePath, pathOf } from "../../src/http/target.ts";

const decoded: readonly [path: string, segments: string[] | undefined][] = [
  ["/", [""]],
  ["/events", ["events"]],
  ["/projections/a/b", ["projections", "a", "b"]],
  ["/projections/a%2Fb/c%2fd", ["projections", "a/b", "c/d"]],
  ["/projections/%2e%2e/%2E", ["projections", "..", "."]],
  ["/projections/a/%00", ["projections", "a", "\u0000"]],
  ["/projections/a/%252F", ["projections", "a", "%2F"]],
  ["/projections/a/%C3%A9%F0%9F%98%80", ["projections", "a", "\u00e9\ud83d\ude00"]],
  ["/projections/a/%EF%BB%BF", ["projections", "a", "\ufeff"]],
  ["/a+b/c%20d", ["a+b", "c d"]],
  ["/a\\b/...", ["a\\b", "..."]],
  ["/events/", ["events", ""]],
  ["//events", ["", "events"]],
  ["/a//b", ["a", "", "b"]],
  ["/.", undefined],
  ["/..", undefined],
  ["/a/./b", undefined],
  ["/a/../b", undefined],
  ["/events/..", undefined],
  ["", []],
  ["events", undefined],
  ["*", undefined],
];

for (const [path, segments] of decoded) {
  Deno.test(`the path ${JSON.stringify(path)} is ${JSON.stringify(segments) ?? "no path of ours"}`, () => {
    assert.deepEqual(decodePath(path), segments);
  });
}

for (const broken of ["/%", "/%4", "/%zz", "/a/%ff", "/%C3", "/%C0%AF", "/%ED%A0%80", "/a/../%", "/%u0041"]) {
  Deno.test(`the escape in ${broken} is broken, or not UTF-8, and says so in one line`, () => {
    assert.throws(() => decodePath(broken), (error) => {
      assert.ok(error instanceof Malformed);
      assert.match(error.message, /^the path segment "%?[^\n]+" is not valid percent-encoded UTF-8$/);
      return true;
    });
  });
}

Deno.test("the path of a target ends at its query string or fragment, and is not touched", () => {
  assert.equal(pathOf("/a%2Fb/../c?d=/e"), "/a%2Fb/../c");
  assert.equal(pathOf("/a?b?c#d"), "/a");
  assert.equal(pathOf("/a#b?c"), "/a");
  assert.equal(pathOf("?"), "");
  assert.equal(pathOf("/%3F"), "/%3F");
});
