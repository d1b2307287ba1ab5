import assert from "node:assert/strict";
import { assertPlainText, assertRejected, UUID } from "../../support/replies.ts";
import { type ContractTest, mustBe, type Subject } from "./edition.ts";
import type { Versions } from "./projections.ts";

/** Tests of reads of projections, and of their paths. */
export function contractOfProjectionReads(test: ContractTest): void {
  reads(test);
  paths(test);
  lists(test);
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

interface Listed {
  readonly type: string;
  readonly id: string;
  readonly version: string;
  readonly bytes: number;
}

function lists(test: ContractTest): void {
  const keys = [
    "course/c1",
    "course/c2",
    "course/\0",
    "Course/c1",
    "a/b/c",
    "a/%2F",
    "\u{1f600}/\u00e9",
    "x\ty/'\"",
  ].map(
    (key) => [key.slice(0, key.indexOf("/")), key.slice(key.indexOf("/") + 1)] as const,
  );
  const escaped = (...parts: readonly string[]): string => parts.map(encodeURIComponent).join("/");

  /** Reads a list, and checks its form. */
  const list = async (subject: Subject, query: Record<string, string>): Promise<[Listed[], boolean]> => {
    const target = `/projections?${new URLSearchParams(query)}`;
    const reply = mustBe(200, await subject.client.request("GET", target));
    assert.equal(reply.headers.get("content-type"), "application/x-ndjson");
    assert.equal(reply.headers.get("x-service-store"), await subject.storeId());
    assert.equal(reply.headers.get("cache-control"), "no-store");
    const lines = reply.text.trimEnd().split("\n").map((line) => JSON.parse(line));
    const { hasMore } = lines.pop() as { readonly hasMore: boolean };
    return [lines, hasMore];
  };

  /** Reads all pages of a list. */
  const pages = async (subject: Subject, query: Record<string, string>): Promise<Listed[]> => {
    const found: Listed[] = [];
    for (let more: Record<string, string> = {};;) {
      const [listed, hasMore] = await list(subject, { ...query, ...more });
      found.push(...listed);
      if (!hasMore) return found;
      const { type, id } = listed.at(-1)!;
      more = { after: query["type"] === undefined ? escaped(type, id) : id };
    }
  };

  const sorted = (listed: readonly Listed[]): Listed[] =>
    listed.toSorted((a, b) => escaped(a.type, a.id) < escaped(b.type, b.id) ? -1 : 1);

  test("the list of projections has each one once, in pages of any size, with version and size", async (subject) => {
    assert.deepEqual(await list(subject, {}), [[], false]);
    const written: Listed[] = [];
    for (const [i, [type, id]] of keys.entries()) {
      const payload = "\u00e9".repeat(i);
      const version = await subject.createProjection(type, id, payload);
      written.push({ type, id, version, bytes: new TextEncoder().encode(type + id + payload).length });
    }
    for (const limit of ["1", "3", "8", "9", "999999"]) {
      assert.deepEqual(sorted(await pages(subject, { limit })), sorted(written), limit);
      for (const type of ["course", "Course", "a", "none"]) {
        const ofType = written.filter((one) => one.type === type);
        assert.deepEqual(sorted(await pages(subject, { limit, type })), sorted(ofType), `${type}, ${limit}`);
      }
    }
    const [, hasMore] = await list(subject, { limit: "8" });
    assert.equal(hasMore, false);
    // The projection of the cursor may be gone.
    const [first] = (await list(subject, { type: "course", limit: "1" }))[0];
    mustBe(
      200,
      await subject.change({ delete: [{ type: "course", id: first!.id, version: first!.version }] }),
    );
    assert.equal((await list(subject, { type: "course", after: first!.id }))[0].length, 2);
  });

  test("a list of projections that cannot be understood is 400, and names the parameter", async ({ client }) => {
    const refused: readonly [query: string, message: RegExp][] = [
      ["typ=a", /^unknown parameter "typ"; there are type, limit, after$/],
      ["type=a&type=b", /^type is given twice$/],
      ["type=", /^type must not be empty$/],
      ["limit=0", /^limit must be an integer of at least 1$/],
      ["limit=1.5", /^limit must be/],
      ["after=", /^after must not be empty$/],
      ["after=course", /^without type, after must be <type>\/<id>, both escaped as in a path$/],
      ["after=a/b/c", /^without type, after must be/],
      ["after=a/%25zz", /^without type, after must be/],
    ];
    for (const [query, message] of refused) {
      assertRejected(await client.request("GET", `/projections?${query}`), 400, "InvalidRequest", message);
    }
  });
}
