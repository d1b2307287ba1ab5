import assert from "node:assert/strict";
import { assertPlainText, assertRejected, UUID } from "../../support/replies.ts";
import { type ContractTest, mustBe } from "./edition.ts";
import type { Versions } from "./projections.ts";

/** Tests of reads of projections, and of their paths. */
export function contractOfProjectionReads(test: ContractTest): void {
  reads(test);
  paths(test);
}

function reads(test: ContractTest): void {
  test("GET of a projection: its payload as written, with version, store ID and no-store", async (subject) => {
    const payloads = ["", '{"json":1}', "\0\r\n\u{1f600}\u2028 end "];
    for (const [i, payload] of payloads.entries()) {
      const changed = mustBe(200, await subject.change({ create: [{ type: "t", id: String(i), payload }] }));
      const reply = mustBe(200, await subject.client.request("GET", `/projections/t/${i}`));
      assert.deepEqual(reply.body, new TextEncoder().encode(payload));
      assert.equal(reply.headers.get("content-type"), "text/plain; charset=utf-8");
      assert.match(reply.headers.get("x-service-version") ?? "", UUID);
      assert.equal(reply.headers.get("x-service-version"), changed.json<Versions>().create[0]?.version);
      assert.equal(reply.headers.get("x-service-store"), await subject.storeId());
      assert.equal(reply.headers.get("cache-control"), "no-store");
    }
  });

  test("GET of an absent projection: 404 without message, with the store ID", async (subject) => {
    const reply = await subject.client.request("GET", "/projections/t/absent");
    assertRejected(reply, 404, "ProjectionNotFound");
    assert.equal(reply.headers.get("x-service-store"), await subject.storeId());
    assert.equal(reply.headers.has("x-service-version"), false);
    assert.equal(reply.headers.get("cache-control"), "no-store");
  });

  test("HEAD of a projection: the head of its GET and no body", async (subject) => {
    const version = await subject.createProjection("t", "a", "12345");
    const reply = mustBe(200, await subject.client.request("HEAD", "/projections/t/a"));
    assert.equal(reply.headers.get("x-service-version"), version);
    assert.equal(reply.headers.get("x-service-store"), await subject.storeId());
    assert.equal(reply.body.length, 0);
    mustBe(404, await subject.client.request("HEAD", "/projections/t/b"));
  });
}

function paths(test: ContractTest): void {
  const encodings: readonly [id: string, segment: string][] = [
    ["a/b", "a%2Fb"],
    ["..", "%2e%2e"],
    ["n\0n", "n%00n"],
    ["%2F", "%252F"],
    ["\u00e9\u{1f600}", "%C3%A9%F0%9F%98%80"],
    ["a+b c?", "a+b%20c%3F"],
    ["c/d", "c%2fd"],
    [".", "%2E"],
  ];
  test("a path segment is decoded once, and query strings are ignored", async (subject) => {
    for (const [id, segment] of encodings) {
      mustBe(200, await subject.change({ create: [{ type: id, id, payload: id }] }));
      const reply = await subject.client.request("GET", `/projections/${segment}/${segment}?x=1/..?y=%zz`);
      assert.equal(mustBe(200, reply).text, id);
    }
  });

  test("a path segment that is no valid escape or no UTF-8 is 400 in plain text", async ({ client }) => {
    for (const segment of ["%ff", "%zz", "%", "%2", "a%C3", "%ED%A0%80", "%C0%AF"]) {
      assertPlainText(await client.request("GET", `/projections/t/${segment}`), 400, false);
      assertPlainText(await client.request("GET", `/projections/${segment}/a`), 400, false);
      assertPlainText(await client.request("DELETE", `/projections/${segment}`), 400, false);
    }
  });

  test("type and id together name a projection, not their concatenation", async (subject) => {
    const keys = [["a", "bc"], ["ab", "c"], ["a/b", "c"], ["a", "b/c"]];
    mustBe(
      200,
      await subject.change({ create: keys.map(([type, id], i) => ({ type, id, payload: String(i) })) }),
    );
    for (const [i, path] of ["a/bc", "ab/c", "a%2Fb/c", "a/b%2Fc"].entries()) {
      assert.equal((await subject.client.request("GET", `/projections/${path}`)).text, String(i));
    }
  });
}
