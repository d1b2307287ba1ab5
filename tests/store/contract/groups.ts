import assert from "node:assert/strict";
import type { Condition } from "../../../src/model/condition.ts";
import type { ProjectionChanges } from "../../../src/model/projection.ts";
import type { Store } from "../../../src/store/api/store.ts";
import type { Conflict, StoreWrite } from "../../../src/store/api/write.ts";
import { EVERYTHING, typesOf } from "../chunks.ts";
import { changing, newEvent, ofTypes, queryOf, storeWrite, unless } from "../made_writes.ts";
import { conflictOf, DONE, kindOf, written } from "../outcomes.ts";
import type { StoreTest } from "./store_test.ts";

const KEY = { type: "p", id: "1" };
const CREATE = { create: [{ ...KEY, payload: "first" }] };

/** Groups of writes, their conflicts, and the projections that they change. */
export function contractOfGroups(test: StoreTest): void {
  order(test);
  conflicts(test);
  conditions(test);
  voidPositions(test);
  projections(test);
}

function order(test: StoreTest): void {
  test("the writes of a group run in order, each with its own outcome", async (store) => {
    const group = [unless("a", 0, "a"), unless("a", 0, "b"), storeWrite([]), ofTypes("c", "d"), ofTypes("e")];
    const outcomes = await store.writer.group(group);
    const kinds = ["written", "conflict", "written", "written", "written"];
    assert.deepEqual(outcomes.map(kindOf), kinds);
    const results = outcomes.filter((outcome) => kindOf(outcome) === "written").map(written);
    assert.deepEqual(results.map(({ firstSequence }) => firstSequence), [1, 2, 2, 4]);
    assert.deepEqual(new Set(results.map(({ storeId }) => storeId)), new Set([store.storeId]));
    const chunk = await store.reads.chunk(EVERYTHING);
    assert.deepEqual([typesOf(chunk), chunk.head], [["a", "c", "d", "e"], 4]);
    assert.equal(written((await store.writer.group([ofTypes("f")]))[0]).firstSequence, 5);
  });
}

/** Writes on a store with one event of type `t` and the projection KEY, and the conflict of each. */
function conflicting(storeId: string): readonly [write: Partial<StoreWrite>, conflict: Conflict][] {
  const here: Condition = { failIfEventsMatch: "none", afterSequence: 0, store: storeId };
  const elsewhere: Condition = { failIfEventsMatch: "every", afterSequence: 0, store: "another" };
  const matching: Condition = { failIfEventsMatch: queryOf(["t"]), afterSequence: 0 };
  const absent = { type: "p", id: "absent", version: "x", payload: "" };
  const stale = { ...KEY, version: "x", payload: "" };
  const changes = (lists: Partial<ProjectionChanges>): Partial<StoreWrite> => {
    const { projections } = changing(lists);
    return { projections };
  };
  const other = { type: "p", id: "2", payload: "" };
  const create = [other, ...CREATE.create];
  const cases: [Partial<StoreWrite>, Conflict["list"], number, Conflict["cause"]][] = [
    [{ conditions: [matching] }, "conditions", 0, "eventMatches"],
    [{ conditions: [{ ...matching, failIfEventsMatch: "every" }] }, "conditions", 0, "eventMatches"],
    [{ conditions: [elsewhere] }, "conditions", 0, "otherStore"],
    [{ conditions: [here, elsewhere, matching] }, "conditions", 1, "otherStore"],
    [{ conditions: [here, matching, elsewhere] }, "conditions", 1, "eventMatches"],
    [{ conditions: [elsewhere], ...changes({ create: [other] }) }, "conditions", 0, "otherStore"],
    [changes({ create }), "create", 1, "exists"],
    [changes({ replace: [stale] }), "replace", 0, "otherVersion"],
    [changes({ replace: [absent] }), "replace", 0, "otherVersion"],
    [changes({ delete: [stale] }), "delete", 0, "otherVersion"],
    [changes({ delete: [absent] }), "delete", 0, "otherVersion"],
    [changes({ create, replace: [absent], delete: [stale] }), "create", 1, "exists"],
    [changes({ replace: [absent], delete: [stale] }), "replace", 0, "otherVersion"],
    [{ conditions: [matching], ...changes({ create }) }, "conditions", 0, "eventMatches"],
  ];
  return cases.map(([write, list, index, cause]) => {
    const sequence = cause === "eventMatches" ? { sequence: 1 } : {};
    return [write, { list, index, cause, ...sequence } as Conflict];
  });
}

function conflicts(test: StoreTest): void {
  for (const [where, together] of [["the store", false], ["the same group", true]] as const) {
    test(`a write that conflicts with content of ${where} reports the conflict, and leaves nothing`, async (store) => {
      const first = storeWrite([newEvent("t")], { projections: changing(CREATE).projections });
      const cases = conflicting(store.storeId);
      const others = cases.map(([write]) => storeWrite([newEvent("undone")], write));
      if (!together) written((await store.writer.group([first]))[0]);
      const outcomes = await store.writer.group(together ? [first, ...others] : others);
      const ends = outcomes.slice(together ? 1 : 0);
      for (const [i, [write, conflict]] of cases.entries()) {
        assert.deepEqual(conflictOf(ends[i]), conflict, JSON.stringify(write));
      }
      assert.deepEqual(typesOf(await store.reads.chunk(EVERYTHING)), ["t"]);
      assert.equal(await payloadOf(store, "p", "1"), "first");
      assert.equal(await payloadOf(store, "p", "2"), undefined);
    });
  }
}

function conditions(test: StoreTest): void {
  test("conditions hold that no later event matches, on the store that was read", async (store) => {
    await store.writer.group([ofTypes("a", "b")]);
    const holding: readonly Condition[] = [
      { failIfEventsMatch: "none", afterSequence: 0 },
      { failIfEventsMatch: "every", afterSequence: 2 },
      { failIfEventsMatch: queryOf(["b"]), afterSequence: 2, store: store.storeId },
      { failIfEventsMatch: "every", afterSequence: Number.MAX_SAFE_INTEGER },
      { failIfEventsMatch: queryOf(["b"]), afterSequence: Number.MAX_SAFE_INTEGER },
      { failIfEventsMatch: queryOf(["a"]), afterSequence: 1, store: store.storeId },
      { failIfEventsMatch: queryOf(["c"]), afterSequence: 0 },
    ];
    const each = holding.map((condition) => storeWrite([], { conditions: [condition] }));
    const outcomes = await store.writer.group([...each, storeWrite([], { conditions: holding })]);
    for (const [i, outcome] of outcomes.entries()) {
      assert.equal(kindOf(outcome), "written", JSON.stringify(holding[i]));
    }
  });
}

function voidPositions(test: StoreTest): void {
  test("a position beyond the head is a conflict: it belongs to a history that went back", async (store) => {
    await store.writer.group([ofTypes("a", "b")]);
    for (const readOn of [{}, { store: store.storeId }]) {
      for (const failIfEventsMatch of ["none", "every", queryOf(["z"])] as const) {
        for (const afterSequence of [3, Number.MAX_SAFE_INTEGER - 1]) {
          const write = storeWrite([], { conditions: [{ failIfEventsMatch, afterSequence, ...readOn }] });
          const conflict = conflictOf((await store.writer.group([write]))[0]);
          assert.deepEqual(conflict, { list: "conditions", index: 0, cause: "otherStore" });
        }
      }
    }
  });
}

function versionsOf({ versions }: ReturnType<typeof written>, list: "create" | "replace"): string[] {
  return versions[list].map(({ version }) => version);
}

function projections(test: StoreTest): void {
  test("each write of a projection gives it a new version, and only the last one may change it", async (store) => {
    const change = async (changes: Partial<ProjectionChanges>): Promise<ReturnType<typeof written>> =>
      written((await store.writer.group([changing(changes)]))[0]);
    const rejection = async (changes: Partial<ProjectionChanges>): Promise<string> =>
      conflictOf((await store.writer.group([changing(changes)]))[0]).cause;
    const other = { type: "p", id: "2", payload: "" };
    const [first, second] = versionsOf(await change({ create: [...CREATE.create, other] }), "create");
    assert.ok(first !== undefined && second !== undefined && first !== second);
    const replaced = await change({ replace: [{ ...KEY, version: first, payload: "first" }] });
    const [third] = versionsOf(replaced, "replace");
    assert.ok(third !== undefined && third !== first && third !== second, "an equal payload is a write too");
    assert.equal((await store.reads.projection(KEY)).projection?.version, third);
    assert.equal((await store.reads.projection(other)).projection?.version, second);
    const stale = [first, second, "", "not a uuid", third.toUpperCase(), `${third}\u0000`];
    for (const version of stale) {
      assert.equal(await rejection({ replace: [{ ...KEY, version, payload: "" }] }), "otherVersion");
      assert.equal(await rejection({ delete: [{ ...KEY, version }] }), "otherVersion");
    }
    await change({ delete: [{ ...KEY, version: third }] });
    assert.equal(await payloadOf(store, "p", "1"), undefined);
    const replace = [{ ...KEY, version: third, payload: "" }];
    const gone = [await rejection({ replace }), await rejection({ delete: [{ ...KEY, version: third }] })];
    assert.deepEqual(gone, ["otherVersion", "otherVersion"]);
    const [again] = versionsOf(await change(CREATE), "create");
    assert.ok(again !== undefined && ![first, second, third].includes(again));
    assert.equal(await rejection({ replace }), "otherVersion", "a stale version never matches again");
  });

  test("projections are deleted by type or all together", async (store) => {
    const types = ["a", "a\u0000", "ab"];
    const left = async (): Promise<string[]> => {
      const payloads = await Promise.all(types.map((type) => payloadOf(store, type, "1")));
      return types.filter((_, i) => payloads[i] !== undefined);
    };
    await store.writer.group([changing({ create: types.map((type) => ({ type, id: "1", payload: "" })) })]);
    assert.deepEqual(await left(), types);
    assert.deepEqual(await store.writer.deleteProjections("a"), DONE);
    assert.deepEqual(await left(), ["a\u0000", "ab"]);
    assert.deepEqual(await store.writer.deleteProjections(undefined), DONE);
    assert.deepEqual(await left(), []);
  });
}

async function payloadOf(store: Store, type: string, id: string): Promise<string | undefined> {
  const { projection } = await store.reads.projection({ type, id });
  return projection && new TextDecoder().decode(projection.payload);
}
