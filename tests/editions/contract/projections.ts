import assert from "node:assert/strict";
import { projectionPath } from "../../support/client.ts";
import { assertNoContent, assertRejected, UUID } from "../../support/replies.ts";
import { type ContractEdition, type ContractTest, eventOf, ITEM_BYTES_MAX, mustBe } from "./edition.ts";

export interface Versions {
  readonly create: readonly { readonly version: string }[];
  readonly replace: readonly { readonly version: string }[];
}

/** Tests of changes and bulk deletes of projections, and of the reset. */
export function contractOfProjections(edition: ContractEdition, test: ContractTest): void {
  changes(edition, test);
  removals(edition, test);
}

function changes({ name, changesPath }: ContractEdition, test: ContractTest): void {
  const read = { type: "t", id: "a" };

  test("create, replace and delete go together; each write gives a new version", async (subject) => {
    const first = await subject.createProjection("t", "a", "1");
    const gone = await subject.createProjection("t", "gone", "");
    const answer = await subject.change({
      create: [{ type: "t", id: "new", payload: "new" }, { type: "t", id: "also", payload: "" }],
      replace: [{ ...read, version: first, payload: "2" }],
      delete: [{ type: "t", id: "gone", version: gone }],
    });
    const changed = mustBe(200, answer).json<Versions>();
    // In edition C a write of a transaction does not say the store ID.
    if (name !== "C") assert.equal(answer.headers.get("x-service-store"), await subject.storeId());
    const reply = await subject.client.request("GET", "/projections/t/a");
    assert.equal(reply.text, "2");
    assert.equal(reply.headers.get("x-service-version"), changed.replace[0]?.version);
    assert.notEqual(changed.replace[0]?.version, first);
    assert.equal((await subject.client.request("GET", "/projections/t/new")).text, "new");
    mustBe(404, await subject.client.request("GET", "/projections/t/gone"));
    // The answer has the versions in the order sent, and nothing else.
    const written: { version: string | undefined }[] = [];
    for (const id of ["new", "also", "a"]) {
      const { headers } = await subject.client.request("GET", `/projections/t/${id}`);
      written.push({ version: headers.get("x-service-version") });
    }
    assert.deepEqual(changed, { create: written.slice(0, 2), replace: written.slice(2) });
    for (const { version } of written) assert.match(version ?? "", UUID);
  });

  test("a delete has no entry in the answer", async (subject) => {
    const version = await subject.createProjection("t", "a", "");
    const reply = mustBe(200, await subject.change({ delete: [{ ...read, version }] }));
    assert.deepEqual(reply.json(), { create: [], replace: [] });
    mustBe(404, await subject.client.request("GET", "/projections/t/a"));
  });

  test("a version never matches again: not after a replace with an equal payload, not after delete and create", async (subject) => {
    const versions = [await subject.createProjection("t", "a", "same")];
    const replaced = await subject.change({ replace: [{ ...read, version: versions[0], payload: "same" }] });
    versions.push(mustBe(200, replaced).json<Versions>().replace[0]!.version);
    mustBe(200, await subject.change({ delete: [{ ...read, version: versions[1] }] }));
    versions.push(await subject.createProjection("t", "a", "same"));
    assert.equal(new Set(versions).size, 3);
    for (const version of [...versions.slice(0, 2), "not a UUID", versions[2]!.toUpperCase()]) {
      for (
        const changed of [{ replace: [{ ...read, version, payload: "" }] }, {
          delete: [{ ...read, version }],
        }]
      ) {
        assertRejected(await subject.change(changed), 409, "ConcurrencyException", /no longer has the given/);
      }
    }
    const reply = await subject.client.request("GET", "/projections/t/a");
    assert.deepEqual([reply.text, reply.headers.get("x-service-version")], ["same", versions[2]]);
  });

  test("the first item that does not fit is named: creates, then replaces, then deletes, each list from its start", async (subject) => {
    const [a, b] = [
      await subject.createProjection("t", "a", ""),
      await subject.createProjection("t", "b", ""),
    ];
    const item = (id: string, version: string): object => ({ type: "t", id, version });
    const changed = (id: string, version: string): object => ({ ...item(id, version), payload: "" });
    const cases = [
      ["replace[1] no longer has the given version", {
        delete: [item("absent", "stale")],
        replace: [changed("a", a), changed("b", "stale")],
        create: [{ type: "t", id: "c", payload: "" }],
      }],
      ["create[0] already exists", {
        create: [{ ...read, payload: "" }],
        replace: [changed("b", "stale")],
      }],
      ["delete[1] no longer has the given version", {
        replace: [changed("a", a)],
        delete: [item("b", b), item("absent", "stale")],
      }],
      ["replace[0] no longer has the given version", { replace: [changed("absent", a)] }],
    ] as const;
    for (const [message, changes] of cases) {
      assertRejected(await subject.change(changes), 409, "ConcurrencyException", changesPath + message);
    }
    for (const [id, version] of [["a", a], ["b", b]]) {
      const reply = await subject.client.request("GET", `/projections/t/${id}`);
      assert.equal(reply.headers.get("x-service-version"), version);
    }
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
  test("an invalid change is 400, and nothing is written", async (subject) => {
    for (const [cause, changed, message] of invalid) {
      const reply = await subject.change(changed);
      assert.equal(reply.status, 400, cause);
      assertRejected(reply, 400, "InvalidRequest", message);
    }
    mustBe(404, await subject.client.request("GET", "/projections/t/a"));
  });

  test("maxProjectionSize is inclusive: one byte more is 413", async (subject) => {
    const ofBytes = (bytes: number): unknown => ({ ...read, payload: "x".repeat(bytes - 2) });
    const message = `${changesPath}create[0] is 101 bytes, more than maxProjectionSize (100)`;
    const rejected = await subject.change({ create: [ofBytes(ITEM_BYTES_MAX + 1)] });
    assertRejected(rejected, 413, "PayloadTooLarge", message);
    const gone = { type: "t", id: "\u20ac".repeat(33) + "x", version: "v" };
    assertRejected(
      await subject.change({ delete: [gone] }),
      413,
      "PayloadTooLarge",
      `${changesPath}delete[0] is 101 bytes, more than maxProjectionSize (100)`,
    );
    mustBe(200, await subject.change({ create: [ofBytes(ITEM_BYTES_MAX)] }));
  });
}

function removals(edition: ContractEdition, test: ContractTest): void {
  test("a bulk delete of one type takes all of it, and leaves the others and the events", async (subject) => {
    await subject.append(eventOf("t", "kept"));
    const keys = [["a/b", "1"], ["a/b", "2"], ["a", "b"], ["a", "b/1"], ["A/B", "1"], ["ab", "1"]] as const;
    const versions: string[] = [];
    for (const [type, id] of keys) versions.push(await subject.createProjection(type, id, "kept"));
    const shown = (): Promise<(string | number)[]> =>
      Promise.all(keys.map(async ([type, id]) => {
        const { status, text } = await subject.client.request("GET", projectionPath(type, id));
        return status === 200 ? text : status;
      }));
    const store = await subject.storeId();
    const remove = async (type: string): Promise<void> =>
      assertNoContent(await edition.deleteProjections(subject.client, `/projections/${type}`));
    await remove("absent");
    await remove("a%2Fb");
    assert.deepEqual(await shown(), [404, 404, "kept", "kept", "kept", "kept"]);
    const replace = [{ type: "a/b", id: "1", version: versions[0], payload: "" }];
    const message = `${edition.changesPath}replace[0] no longer has the given version`;
    assertRejected(await subject.change({ replace }), 409, "ConcurrencyException", message);
    await remove("a");
    assert.deepEqual(await shown(), [404, 404, 404, 404, "kept", "kept"]);
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
    const ids = [store, page.store];
    for (let i = 0; i < 3; i++) {
      assertNoContent(await edition.reset(subject.client));
      ids.push(await subject.storeId());
    }
    assert.equal(new Set(ids).size, 5, "every reset draws another ID");
  });

  test("writes and rejected requests keep the store ID", async (subject) => {
    const store = await subject.storeId();
    await subject.append(eventOf("t", "1"));
    await subject.createProjection("t", "a", "");
    mustBe(400, await subject.read("{"));
    assert.equal(await subject.storeId(), store);
  });
}
