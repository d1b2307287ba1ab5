import assert from "node:assert/strict";
import { RecentConflicts } from "../../../src/store/core/recent_conflicts.ts";
import { newEvent, queryOf, storeWrite, tag, unless } from "../made_writes.ts";

interface Document {
  readonly conflicts: readonly Record<string, unknown>[];
  readonly hours: readonly { readonly types: readonly { type: string; count: number }[] }[];
}

const matched = { list: "conditions", index: 0, cause: "eventMatches", sequence: 7 } as const;

function documentOf(conflicts: RecentConflicts): Document {
  return conflicts.document("*") as Document;
}

Deno.test("a rejected decision is remembered with its query, the event that broke it, and its types", () => {
  const conflicts = new RecentConflicts();
  conflicts.add(unless("seen", 5, 'say "no"'), matched);
  const everything = { failIfEventsMatch: "every", afterSequence: 3 } as const;
  conflicts.add(storeWrite([], { conditions: [everything] }), { ...matched, cause: "otherStore" });
  const [newest, oldest] = documentOf(conflicts).conflicts.map(({ time: _, ...rest }) => rest);
  assert.deepEqual(oldest, {
    types: ['say "no"'],
    cause: "eventMatches",
    query: [{ types: ["seen"] }],
    afterSequence: 5,
    sequence: 7,
  });
  assert.deepEqual(newest, { types: [], cause: "otherStore", query: "*", afterSequence: 3 });
  const [hour] = documentOf(conflicts).hours;
  assert.deepEqual(hour?.types, [{ type: 'say "no"', count: 1 }, { type: "", count: 1 }]);
});

Deno.test("only the last hundred are remembered, of each a limited part, and all are counted", () => {
  const conflicts = new RecentConflicts();
  const long = "x".repeat(3000);
  const items = [...queryOf(["a"]), ...queryOf([], [tag("n", long)])];
  const write = storeWrite([newEvent(long)], {
    conditions: [{ failIfEventsMatch: items, afterSequence: 0 }],
  });
  for (let i = 0; i < 150; i++) conflicts.add(unless("seen", i, `t${i}`), matched);
  conflicts.add(write, matched);
  const { conflicts: [newest, ...others], hours } = documentOf(conflicts);
  assert.equal(others.length, 99);
  assert.equal(others.at(-1)!["afterSequence"], 51);
  assert.deepEqual([newest!["query"], newest!["isShortened"]], [[{ types: ["a"] }], true]);
  assert.equal((newest!["types"] as string[])[0]!.length, 2001);
  assert.equal(hours[0]!.types.length, 50, "an hour has a limited number of types");
});
