import assert from "node:assert/strict";
import fc from "fast-check";
import type { ProjectionChanges } from "../../src/model/projection.ts";
import { readProjection } from "../../src/store/projections.ts";
import { type Verdict, Writer } from "../../src/store/writer.ts";
import { text } from "./arbitraries.ts";
import { newEvent, storeWrite, TestStore } from "./test_store.ts";

const decoder = new TextDecoder("utf-8", { fatal: true, ignoreBOM: true });

function change(writer: Writer, changes: Partial<ProjectionChanges>): Verdict {
  const projections = { create: [], replace: [], delete: [], ...changes };
  return writer.group([storeWrite([], { projections })])[0]!;
}

/** The new versions of a change that must have been made. */
function versions(verdict: Verdict): string[] {
  assert.equal(verdict.kind, "committed");
  return verdict.kind === "committed" ? [...verdict.versions.create, ...verdict.versions.replace] : [];
}

function conflict(verdict: Verdict): unknown {
  assert.equal(verdict.kind, "conflict");
  return verdict.kind === "conflict" && verdict.conflict;
}

function stored(
  store: TestStore,
  type: string,
  id: string,
): { version: string; payload: string } | undefined {
  const projection = readProjection(store.db, { type, id });
  return projection && { version: projection.version, payload: decoder.decode(projection.payload) };
}

Deno.test("projections of any type and id, NUL included, are kept apart and come back byte for byte", () => {
  const projection = fc.record({ type: text, id: text, payload: text });
  const distinct = fc.uniqueArray(projection, { selector: ({ type, id }) => JSON.stringify([type, id]) });
  fc.assert(
    fc.property(distinct, (create) => {
      using store = new TestStore();
      const writer = new Writer(store.db);
      const given = versions(change(writer, { create }));
      assert.equal(new Set(given).size, create.length);
      for (const [i, { type, id, payload }] of create.entries()) {
        assert.deepEqual(stored(store, type, id), { version: given[i], payload });
      }
      const rows = store.db.get("SELECT count(*) FROM projection")?.[0];
      assert.equal(rows, create.length);
    }),
    { numRuns: 40 },
  );
});

Deno.test("a payload is kept exactly: empty, NUL, byte order mark, beyond the BMP", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  const payloads = ["", "\u0000", "a\u0000b", "\ufeffa", "\ud83d\ude00", "x".repeat(65_536)];
  const ids = payloads.map((_, i) => String(i));
  const create = payloads.map((payload, i) => ({ type: "p", id: ids[i]!, payload }));
  versions(change(writer, { create }));
  assert.deepEqual(ids.map((id) => stored(store, "p", id)?.payload), payloads);
});

Deno.test("create makes a projection with a new version, and refuses one that is there", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  const [version] = versions(change(writer, { create: [{ type: "p", id: "1", payload: "first" }] }));
  assert.match(version!, /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/);
  const create = [{ type: "p", id: "2", payload: "" }, { type: "p", id: "1", payload: "second" }];
  assert.deepEqual(conflict(change(writer, { create })), { list: "create", index: 1, cause: "exists" });
  assert.deepEqual(stored(store, "p", "1"), { version, payload: "first" });
  assert.equal(stored(store, "p", "2"), undefined, "nothing of a refused write is there");
});

Deno.test("replace and delete need the stored version, and every write of a projection gives a new one", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  const [first] = versions(change(writer, { create: [{ type: "p", id: "1", payload: "a" }] }));
  const replace = (version: string): Verdict =>
    change(writer, { replace: [{ type: "p", id: "1", version, payload: "a" }] });
  const remove = (version: string): Verdict => change(writer, { delete: [{ type: "p", id: "1", version }] });
  const [second] = versions(replace(first!));
  assert.notEqual(second, first, "an equal payload is a write too");
  assert.deepEqual(stored(store, "p", "1"), { version: second, payload: "a" });
  const stale = { list: "replace", index: 0, cause: "otherVersion" };
  for (const version of [first!, "", "not a uuid", second!.toUpperCase(), `${second}\u0000`]) {
    assert.deepEqual(conflict(replace(version)), stale);
    assert.deepEqual(conflict(remove(version)), { ...stale, list: "delete" });
  }
  assert.deepEqual(versions(remove(second!)), []);
  assert.equal(stored(store, "p", "1"), undefined);
  assert.deepEqual(conflict(replace(second!)), stale);
  assert.deepEqual(conflict(remove(second!)), { ...stale, list: "delete" });
  const [again] = versions(change(writer, { create: [{ type: "p", id: "1", payload: "" }] }));
  assert.ok(again !== first && again !== second);
  assert.deepEqual(conflict(replace(second!)), stale, "a stale version never matches again");
});

Deno.test("conditions come before projections, and of those create before replace before delete", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  versions(change(writer, { create: [{ type: "p", id: "1", payload: "" }] }));
  writer.group([storeWrite([newEvent("t")])]);
  const create = [{ type: "p", id: "1", payload: "" }];
  const replace = [{ type: "p", id: "2", version: "x", payload: "" }];
  const removed = [{ type: "p", id: "3", version: "x" }];
  const failing = (changes: Partial<ProjectionChanges>): unknown => conflict(change(writer, changes));
  assert.deepEqual(failing({ create, replace, delete: removed }), {
    list: "create",
    index: 0,
    cause: "exists",
  });
  assert.deepEqual(failing({ replace, delete: removed }), {
    list: "replace",
    index: 0,
    cause: "otherVersion",
  });
  assert.deepEqual(failing({ delete: removed }), { list: "delete", index: 0, cause: "otherVersion" });
  const conditions = [{ failIfEventsMatch: "every" as const, afterSequence: 0 }];
  const [verdict] = writer.group([
    storeWrite([], { conditions, projections: { create, replace, delete: removed } }),
  ]);
  assert.deepEqual(conflict(verdict!), { list: "conditions", index: 0, cause: "eventMatches" });
});

Deno.test("a refused projection change leaves no event behind, and a refused condition no projection", () => {
  using store = new TestStore();
  const writer = new Writer(store.db);
  const projections = { create: [], replace: [], delete: [{ type: "p", id: "1", version: "x" }] };
  const create = { create: [{ type: "p", id: "2", payload: "" }], replace: [], delete: [] };
  const conditions = [{ failIfEventsMatch: "none" as const, afterSequence: 0, store: "another" }];
  const verdicts = writer.group([
    storeWrite([newEvent("t")], { projections }),
    storeWrite([newEvent("t")], { projections: create, conditions }),
  ]);
  assert.deepEqual(verdicts.map(({ kind }) => kind), ["conflict", "conflict"]);
  assert.equal(writer.state.head, 0);
  assert.equal(store.db.get("SELECT count(*) FROM event")?.[0], 0);
  assert.equal(stored(store, "p", "2"), undefined);
});
