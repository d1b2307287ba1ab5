import assert from "node:assert/strict";
import type { Condition } from "../../../../src/model/condition.ts";
import type { TimeRange } from "../../../../src/model/time_range.ts";
import { termItem } from "../../../../src/store/core/index_terms.ts";
import { readState } from "../../../../src/store/sqlite/tables/identity.ts";
import { readProjection } from "../../../../src/store/sqlite/tables/projections.ts";
import type { Direction, Range } from "../../../../src/store/core/ranges/direction.ts";
import { readChunk } from "../../../../src/store/sqlite/reading/read_chunk.ts";
import { indexedSequences, itemExpression } from "../../../../src/store/sqlite/tables/tag_index.ts";
import { written } from "../../outcomes.ts";
import { newEvent, queryOf, storeWrite, tag } from "../../made_writes.ts";
import { TestStore } from "../../test_store.ts";

const EVER: TimeRange = { fromMicros: Number.MIN_SAFE_INTEGER, beforeMicros: Number.MAX_SAFE_INTEGER };

/** Collects every SQL text that runs during `act`, from outside, so that none can be forgotten. */
function sqlOf(store: TestStore, act: () => void): string[] {
  const texts = new Set<string>();
  const { db } = store;
  const [all, get, run] = [db.all.bind(db), db.get.bind(db), db.run.bind(db)];
  db.all = (sql, ...values) => (texts.add(sql), all(sql, ...values));
  db.get = (sql, ...values) => (texts.add(sql), get(sql, ...values));
  db.run = (sql, ...values) => (texts.add(sql), run(sql, ...values));
  try {
    act();
  } finally {
    Object.assign(db, { all, get, run });
  }
  return [...texts].filter((sql) => /^(SELECT|UPDATE|DELETE|INSERT)/.test(sql));
}

/** The steps of a plan in SQLite's words. */
function planOf(store: TestStore, sql: string): string[] {
  // Parameters that are left unbound are NULL, which does not change the plan.
  return store.db.all(`EXPLAIN QUERY PLAN ${sql}`).map((row) => row[3] as string);
}

/** Steps that walk a whole table. The table `store` has one row. json_each and VALUES walk their argument. */
function scans(plan: readonly string[]): string[] {
  return plan.filter((step) =>
    step.startsWith("SCAN") && !/^SCAN (store|json_each|CONSTANT ROW|\d+-ROW VALUES CLAUSE)\b/.test(step) &&
    !/^SCAN event_term VIRTUAL TABLE INDEX \d+:.*M/.test(step)
  );
}

function hotStatements(store: TestStore): string[] {
  const writer = store.openWriter();
  const wide = Array.from({ length: 300 }, (_, i) => newEvent("t", [tag("n", String(i % 2))]));
  const conditions: Condition[] = [{ failIfEventsMatch: queryOf(["t"], [tag("n", "9")]), afterSequence: 0 }];
  const changes = (version: string): Parameters<typeof storeWrite>[1] => ({
    projections: {
      create: [{ type: "p", id: version, payload: "" }],
      replace: version === "" ? [] : [{ type: "p", id: "", version, payload: "" }],
      delete: [],
    },
  });
  return sqlOf(store, () => {
    const [first] = writer.group([storeWrite(wide, changes(""))]);
    const version = written(first).versions.create[0]!.version;
    const [second] = writer.group([storeWrite([], { ...changes(version), conditions })]);
    const replaced = written(second).versions.replace[0]!.version;
    const removal = { create: [], replace: [], delete: [{ type: "p", id: "", version: replaced }] };
    written(writer.group([storeWrite([], { projections: removal })])[0]);
    writer.deleteProjections("p");
    for (const query of ["every", queryOf(["t"]), queryOf(["t"], [tag("n", "1")])] as const) {
      for (const more of [{}, { backwards: true }, { time: EVER }, { time: EVER, backwards: true }]) {
        const request = { query, afterSequence: 0, head: undefined, limit: 290, ...more };
        assert.ok(readChunk(store.db, request, false).events > 100);
      }
    }
    readProjection(store.db, { type: "p", id: "" });
    readState(store.db);
  });
}

Deno.test("no statement of a write or a read walks a whole table", () => {
  using store = new TestStore();
  const statements = hotStatements(store);
  for (
    const part of [
      /FROM event WHERE sequence > /,
      /FROM event WHERE sequence > .* DESC/,
      /event_term MATCH/,
      /event_term MATCH .* DESC/,
      /FROM time_block .* ASC/,
      /FROM time_block .* DESC/,
      /json_each/,
      /max\(sequence\)/,
      /UPDATE proj/,
    ]
  ) {
    assert.ok(statements.some((sql) => part.test(sql)), `${part} was not seen`);
  }
  for (const sql of statements) {
    const plan = planOf(store, sql);
    assert.deepEqual(scans(plan), [], sql);
    assert.deepEqual(plan.filter((step) => step.includes("TEMP B-TREE")), [], `${sql} sorts`);
  }
});

Deno.test("the index is asked with both bounds on rowid, and gives its rows in order by itself", () => {
  using store = new TestStore();
  const searches = hotStatements(store).filter((text) => text.includes("MATCH"));
  assert.equal(searches.length, 2, "one for each direction");
  for (const sql of searches) {
    const [step, ...rest] = planOf(store, sql);
    // M: the expression, = < >: bounds that FTS5 uses on rowid.
    assert.match(step!, /^SCAN event_term VIRTUAL TABLE INDEX \d+:(?=.*M)(?=.*<)(?=.*>)/);
    assert.deepEqual(rest, []);
  }
});

Deno.test("a tail of a long list in the index is found without walking the list, and so is a head backwards", () => {
  using store = new TestStore();
  const events = Array.from({ length: 30_000 }, () => newEvent("t"));
  store.append(events);
  const expression = itemExpression(termItem(queryOf(["t"])[0]!));
  const millisecondsFor = (range: Range, direction: Direction, found: number): number => {
    const times = Array.from({ length: 15 }, () => {
      const started = performance.now();
      assert.deepEqual(indexedSequences(store.db, expression, range, 1, direction), [found]);
      return performance.now() - started;
    });
    return times.toSorted((a, b) => a - b)[7]!;
  };
  const from = (after: number): number => millisecondsFor({ after, upTo: 30_000 }, "forwards", after + 1);
  const before = (upTo: number): number => millisecondsFor({ after: 0, upTo }, "backwards", upTo);
  assert.ok(from(29_900) < 20 * from(0) + 1, "the lower bound on rowid is not used");
  assert.ok(before(100) < 20 * from(0) + 1, "the upper bound on rowid is not used");
  assert.ok(before(30_000) < 20 * from(0) + 1, "the list is walked to its end");
});
