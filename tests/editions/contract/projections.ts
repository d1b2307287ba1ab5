import assert from "node:assert/strict";
import { assertNoContent, assertPlainText, assertRejected, UUID } from "../../support/replies.ts";
import { type ContractEdition, type ContractTest, eventOf, ITEM_BYTES_MAX, mustBe } from "./edition.ts";

interface Versions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

/** Tests of reads, changes and bulk deletes of projections, and of the reset. */
export function contractOfProjections(edition: ContractEdition, test: ContractTest): void {
  reads(test);
  paths(test);
  changes(edition, test);
  removals(edition, test);
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
  ];
  for (const [id, segment] of encodings) {
    test(`a path segment ${segment} is decoded once`, async (subject) => {
      mustBe(200, await subject.change({ create: [{ type: id, id, payload: id }] }));
      const reply = await subject.client.request("GET", `/projections/${segment}/${segment}?x=/..`);
      assert.equal(mustBe(200, reply).text, id);
    });
  }
  for (const segment of ["%ff", "%zz", "%", "%C0%AF"]) {
    test(`a path segment ${segment} is 400 in plain text`, async ({ client }) => {
      assertPlainText(await client.request("GET", `/projections/t/${segment}`), 400, false);
      assertPlainText(await client.request("DELETE", `/projections/${segment}`), 400, false);
    });
  }
}

function changes({ changesPath }: ContractEdition, test: ContractTest): void {
  const read = { type: "t", id: "a" };

  test("create, replace and delete go together; each write gives a new version", async (subject) => {
    const first = await subject.createProjection("t", "a", "1");
    const gone = await subject.createProjection("t", "gone", "");
    const changed = mustBe(
      200,
      await subject.change({
        create: [{ type: "t", id: "new", payload: "new" }],
        replace: [{ ...read, version: first, payload: "2" }],
        delete: [{ type: "t", id: "gone", version: gone }],
      }),
    ).json<Versions>();
    const reply = await subject.client.request("GET", "/projections/t/a");
    assert.equal(reply.text, "2");
    assert.equal(reply.headers.get("x-service-version"), changed.replace[0]?.version);
    assert.notEqual(changed.replace[0]?.version, first);
    assert.equal((await subject.client.request("GET", "/projections/t/new")).text, "new");
    mustBe(404, await subject.client.request("GET", "/projections/t/gone"));
  });

  test("a change that does not fit is 409, names its item, and nothing of its request is written", async (subject) => {
    const version = await subject.createProjection("t", "a", "1");
    const other = { type: "t", id: "other", payload: "" };
    const stale = { ...read, version: crypto.randomUUID() };
    const conflicts = [
      [{ create: [other, { ...read, payload: "" }] }, "create[1] already exists"],
      [
        { create: [other], replace: [{ ...stale, payload: "" }] },
        "replace[0] no longer has the given version",
      ],
      [{ create: [other], delete: [stale] }, "delete[0] no longer has the given version"],
    ] as const;
    for (const [changed, message] of conflicts) {
      assertRejected(await subject.change(changed), 409, "ConcurrencyException", changesPath + message);
      mustBe(404, await subject.client.request("GET", "/projections/t/other"));
    }
    const reply = await subject.client.request("GET", "/projections/t/a");
    assert.deepEqual([reply.text, reply.headers.get("x-service-version")], ["1", version]);
  });

  const invalid: readonly [cause: string, changes: unknown, message: RegExp][] = [
    ["missing payload", { create: [read] }, /create\[0\].*payload/],
    ["null payload", { create: [{ ...read, payload: null }] }, /create\[0\].*payload/],
    ["missing version", { replace: [{ ...read, payload: "" }] }, /replace\[0\].*version/],
    ["empty id", { create: [{ type: "t", id: "", payload: "" }] }, /create\[0\].*id/],
    ["version in a create", { create: [{ ...read, payload: "", version: "v" }] }, /create\[0\].*version/],
    ["payload in a delete", { delete: [{ ...read, payload: "", version: "v" }] }, /delete\[0\].*payload/],
    ["unknown list", { upsert: [] }, /upsert/],
    ["twice the same", { create: [{ ...read, payload: "" }], delete: [{ ...read, version: "v" }] }, /\[0\]/],
  ];
  for (const [cause, changed, message] of invalid) {
    test(`400 for a projection: ${cause}`, async (subject) => {
      assertRejected(await subject.change(changed), 400, "InvalidRequest", message);
      mustBe(404, await subject.client.request("GET", "/projections/t/a"));
    });
  }

  test("maxProjectionSize is inclusive: one byte more is 413", async (subject) => {
    const ofBytes = (bytes: number): unknown => ({ ...read, payload: "x".repeat(bytes - 2) });
    const message = `${changesPath}create[0] is 101 bytes, more than maxProjectionSize (100)`;
    const rejected = await subject.change({ create: [ofBytes(ITEM_BYTES_MAX + 1)] });
    assertRejected(rejected, 413, "PayloadTooLarge", message);
    mustBe(200, await subject.change({ create: [ofBytes(ITEM_BYTES_MAX)] }));
  });
}

function removals(edition: ContractEdition, test: ContractTest): void {
  test("a bulk delete of one type leaves the others and the events", async (subject) => {
    await subject.append(eventOf("t", "kept"));
    await subject.createProjection("a/b", "1", "");
    await subject.createProjection("a", "b", "kept");
    const store = await subject.storeId();
    assertNoContent(await edition.deleteProjections(subject.client, "/projections/a%2Fb"));
    mustBe(404, await subject.client.request("GET", "/projections/a%2Fb/1"));
    assert.equal((await subject.client.request("GET", "/projections/a/b")).text, "kept");
    assert.deepEqual(await subject.payloads(), ["kept"]);
    assert.equal(await subject.storeId(), store);
  });

  test("a bulk delete of all leaves the events, needs nothing to be there, and voids versions", async (subject) => {
    await subject.append(eventOf("t", "kept"));
    const version = await subject.createProjection("a", "1", "");
    await subject.createProjection("b", "1", "");
    for (const target of ["/projections", "/projections", "/projections/a"]) {
      assertNoContent(await edition.deleteProjections(subject.client, target));
    }
    for (const type of ["a", "b"]) mustBe(404, await subject.client.request("GET", `/projections/${type}/1`));
    assert.deepEqual(await subject.payloads(), ["kept"]);
    assert.notEqual(await subject.createProjection("a", "1", ""), version);
    const replace = [{ type: "a", id: "1", version, payload: "" }];
    assertRejected(await subject.change({ replace }), 409, "ConcurrencyException", /replace\[0\]/);
  });

  test("a reset empties the store, starts again at sequence 1 and draws a new store ID", async (subject) => {
    await subject.append(eventOf("t", "1"), eventOf("t", "2"));
    await subject.createProjection("t", "a", "");
    const store = await subject.storeId();
    assertNoContent(await edition.reset(subject.client));
    const page = await subject.page();
    assert.deepEqual([page.events, page.hasMore], [[], false]);
    assert.match(page.store ?? "", UUID);
    assert.notEqual(page.store, store);
    const projection = await subject.client.request("GET", "/projections/t/a");
    assertRejected(projection, 404, "ProjectionNotFound");
    assert.equal(projection.headers.get("x-service-store"), page.store);
    await subject.append(eventOf("t", "3"));
    assert.deepEqual((await subject.page()).events.map(({ sequence }) => sequence), [1]);
  });

  test("writes and rejected requests keep the store ID", async (subject) => {
    const store = await subject.storeId();
    await subject.append(eventOf("t", "1"));
    await subject.createProjection("t", "a", "");
    mustBe(400, await subject.read("{"));
    assert.equal(await subject.storeId(), store);
  });
}
