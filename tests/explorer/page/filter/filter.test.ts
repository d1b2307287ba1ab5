import assert from "node:assert/strict";
import {
  type Filter,
  narrowedToTag,
  narrowedToType,
  NO_FILTER,
} from "../../../../explorer/page/filter/filter.ts";
import { queryOf } from "../../../../explorer/page/filter/query.ts";

const order = { kind: "identifiers", name: "order", value: "o1" } as const;
const by = { kind: "metadata", name: "by", value: "web" } as const;
const EITHER: Filter = {
  alternatives: [{ types: ["A", "B"], tags: [] }, { types: [], tags: [order] }],
  from: 1,
  before: undefined,
};

Deno.test("each alternative is an item of the query; without one, everything is meant", () => {
  assert.deepEqual(queryOf(EITHER, "A"), [
    { types: ["A", "B"] },
    { identifiers: [{ name: "order", value: "o1" }] },
  ]);
  assert.deepEqual([queryOf(NO_FILTER, "A"), queryOf(NO_FILTER, "B")], ["*", "all"]);
});

Deno.test("a tag that is chosen narrows every alternative", () => {
  assert.deepEqual(narrowedToTag(EITHER, by), {
    ...EITHER,
    alternatives: [{ types: ["A", "B"], tags: [by] }, { types: [], tags: [order, by] }],
  });
  assert.deepEqual(narrowedToTag(narrowedToTag(EITHER, by), by), narrowedToTag(EITHER, by));
  assert.deepEqual(narrowedToTag(NO_FILTER, by).alternatives, [{ types: [], tags: [by] }]);
});

Deno.test("only a type is only that type: what cannot be of it falls away, and nothing is there twice", () => {
  assert.deepEqual(narrowedToType(EITHER, "A").alternatives, [
    { types: ["A"], tags: [] },
    { types: ["A"], tags: [order] },
  ]);
  assert.deepEqual(narrowedToType(EITHER, "C").alternatives, [{ types: ["C"], tags: [order] }]);
  const twice = { ...NO_FILTER, alternatives: [{ types: ["A"], tags: [] }, { types: ["A", "B"], tags: [] }] };
  assert.deepEqual(narrowedToType(twice, "A").alternatives, [{ types: ["A"], tags: [] }]);
  assert.deepEqual(narrowedToType(NO_FILTER, "A").alternatives, [{ types: ["A"], tags: [] }]);
});
