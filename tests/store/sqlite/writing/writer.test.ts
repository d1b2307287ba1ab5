import assert from "node:assert/strict";
import { DatabaseSync } from "node:sqlite";
import { readState } from "../../../../src/store/sqlite/tables/identity.ts";
import { readProjection } from "../../../../src/store/sqlite/tables/projections.ts";
import { DONE, kindOf, written } from "../../outcomes.ts";
import { newEvent, queryOf, storeWrite } from "../../made_writes.ts";
import { TestStore, writerState } from "../../test_store.ts";
import { FAILING_COMMIT, FAILING_FENCE, FAILING_INSERT } from "./failing.ts";

/** Creates one projection. */
function creating(id: string): Parameters<typeof storeWrite>[1] {
  return { projections: { create: [{ type: "p", id, payload: id }], replace: [], delete: [] } };
}

function bodies(store: TestStore): string[] {
  return store.db.all("SELECT body FROM event ORDER BY sequence").map(([body]) =>
    /"type":"([^"]*)"/.exec(body as string)![1]!
  );
}

for (
  const [where, sql, fences] of [["statement", FAILING_INSERT, 0], ["COMMIT", FAILING_COMMIT, 2]] as const
) {
  Deno.test(`an SQL error in the ${where} of one member is charged to that member alone, and fenced`, () => {
    using store = new TestStore();
    store.db.script(sql);
    const writer = store.openWriter();
    const once = { conditions: [{ failIfEventsMatch: queryOf(["after"]), afterSequence: 0 }] };
    const outcomes = writer.group([
      storeWrite([newEvent("before")], creating("before")),
      storeWrite([newEvent("good"), newEvent("bad")], creating("bad")),
      storeWrite([newEvent("after")], { ...once, ...creating("after") }),
      storeWrite([newEvent("again")], once),
    ]);
    assert.deepEqual(outcomes.map(kindOf), ["written", "failed", "written", "conflict"]);
    const [, failure] = outcomes;
    const reason = where === "COMMIT" ? /^COMMIT failed: / : /^marked to fail$/;
    assert.match(failure?.kind === "failed" ? failure.reason : "", reason);
    // The group has failed first, then this write alone.
    assert.deepEqual(store.db.get("SELECT fence FROM store"), [fences]);
    assert.deepEqual(bodies(store), ["before", "after"]);
    const there = (id: string): boolean => readProjection(store.db, { type: "p", id }) !== undefined;
    assert.deepEqual(["before", "bad", "after"].map(there), [true, false, true]);
    writer.afterAnswer();
    assert.deepEqual(store.reported, []);
    assert.deepEqual(readState(store.db), { storeId: store.storeId, head: 2 });
    assert.deepEqual(writerState(writer), { storeId: store.storeId, head: 2 });
    const [next] = writer.group([storeWrite([newEvent("next")])]);
    assert.equal(written(next).firstSequence, 3);
  });
}

Deno.test("when the fence fails too the outcome is unknown and the writer begins no further transaction", () => {
  using store = new TestStore();
  store.db.script(FAILING_COMMIT);
  store.db.script(FAILING_FENCE);
  const writer = store.openWriter();
  const outcomes = writer.group([storeWrite([newEvent("good")]), storeWrite([newEvent("bad")])]);
  assert.deepEqual(outcomes.map(kindOf), ["unknown", "unknown"]);
  writer.afterAnswer();
  assert.deepEqual(store.reported, [{ kind: "broken", reason: "fence failed: no fence" }]);
  assert.equal(writer.group([storeWrite([newEvent("good")])])[0]?.kind, "failed");
  assert.deepEqual([writer.begin().kind, store.db.inTransaction], ["failed", false]);
  assert.equal(writer.reset().kind, "failed");
  assert.equal(writer.deleteProjections(undefined).kind, "failed");
  assert.equal(writer.optimize().kind, "failed");
  assert.deepEqual(bodies(store), []);
});

Deno.test("a reset empties every table, and reports the new store ID", () => {
  using store = new TestStore();
  const writer = store.openWriter();
  writer.group([storeWrite([newEvent("a"), newEvent("b")], creating("x"))]);
  assert.deepEqual(writer.reset(), DONE);
  const { storeId, head } = readState(store.db);
  assert.deepEqual(writerState(writer), { storeId, head });
  assert.deepEqual(store.reported, [{ kind: "reset", storeId }]);
  for (const table of ["event", "projection", "time_block", "event_term_docsize", "event_term_idx"]) {
    const exists = store.db.get("SELECT count(*) FROM sqlite_schema WHERE name = ?", table)?.[0] === 1;
    if (exists) assert.equal(store.db.get(`SELECT count(*) FROM ${table}`)?.[0], 0, table);
  }
  writer.group([storeWrite([newEvent("c")])]);
  assert.equal(store.db.all("SELECT rowid FROM event_term WHERE event_term MATCH ?", termOf("a")).length, 0);
  assert.equal(store.db.all("SELECT * FROM time_block").length, 1);
});

function termOf(type: string): string {
  return `"${storeWrite([newEvent(type)]).events[0]!.terms}"`;
}

Deno.test("a reset that fails changes nothing, and the store keeps its ID and head", () => {
  using store = new TestStore();
  const writer = store.openWriter();
  writer.group([storeWrite([newEvent("a")], creating("x"))]);
  store.db.script(
    "CREATE TRIGGER no_reset BEFORE UPDATE OF id ON store BEGIN SELECT RAISE(ABORT, 'no reset'); END",
  );
  assert.deepEqual(writer.reset(), { kind: "failed", reason: "no reset" });
  assert.deepEqual(writerState(writer), { storeId: store.storeId, head: 1 });
  assert.deepEqual(store.reported, []);
  assert.deepEqual(readState(store.db), { storeId: store.storeId, head: 1 });
  assert.deepEqual(bodies(store), ["a"]);
  assert.equal(store.db.all("SELECT rowid FROM event_term WHERE event_term MATCH ?", termOf("a")).length, 1);
  // The memory that the failed reset cleared must not make a condition hold.
  const conditions = [{ failIfEventsMatch: queryOf(["a"]), afterSequence: 0 }];
  assert.equal(kindOf(writer.group([storeWrite([], { conditions })])[0]), "conflict");
});

Deno.test("a lock that another program holds too long fails a group as a whole, and the next one succeeds", () => {
  using store = new TestStore();
  const writer = store.openWriter();
  store.db.all("PRAGMA busy_timeout = 200");
  const other = new DatabaseSync(store.path);
  other.exec("BEGIN IMMEDIATE");
  const started = performance.now();
  const outcomes = writer.group(Array.from({ length: 10 }, () => storeWrite([newEvent("a")])));
  const seconds = (performance.now() - started) / 1000;
  other.exec("ROLLBACK");
  other.close();
  assert.deepEqual(new Set(outcomes.map(kindOf)), new Set(["failed"]));
  assert.ok(seconds < 1, `the lock was waited for ${(seconds / 0.2).toFixed(0)} times`);
  assert.equal(kindOf(writer.group([storeWrite([newEvent("a")])])[0]), "written");
});
