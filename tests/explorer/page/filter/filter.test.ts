import assert from "node:assert/strict";
import {
  type Filter,
  narrowedToTag,
  narrowedToType,
  NO_FILTER,
  NOTHING_ASKED,
  withTag,
  withType,
} from "../../../../explorer/page/filter/filter.ts";
import { queryOf } from "../../../../explorer/page/filter/query.ts";
import { Seen } from "../../../../explorer/page/filter/seen.ts";

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

const event = (type: string, identifiers: Record<string, string | string[]>) => ({
  sequence: 1,
  time: "2026-01-01T00:00:00Z",
  type,
  identifiers,
  metadata: {},
  payload: "",
});

Deno.test("what was seen is suggested, what begins like the text first, and nothing that is chosen already", () => {
  const seen = new Seen();
  seen.add(event("OrderPlaced", { order: "o1" }));
  seen.add(event("PreOrder", { customer: ["Ada", "Orville"] }));
  const texts = (text: string, chosen = NOTHING_ASKED): string[] =>
    seen.suggestions(text, chosen, 10).map((found) =>
      found.what === "type" ? found.type : `${found.tag.name}=${found.tag.value}`
    );
  assert.deepEqual(texts("or"), ["OrderPlaced", "customer=Orville", "order=o1", "PreOrder"]);
  assert.deepEqual(texts("ada"), ["customer=Ada"]);
  assert.deepEqual(texts("zzz"), []);
  seen.add(event("PreOrder", { order: "o10" }));
  assert.deepEqual(texts("o1"), ["order=o1", "order=o10"], "the text itself first");
  const chosen = withTag(withType(NOTHING_ASKED, "OrderPlaced"), {
    kind: "identifiers",
    name: "order",
    value: "o1",
  });
  assert.deepEqual(texts("or", chosen), ["order=o10", "customer=Orville", "PreOrder"]);
  seen.clear();
  assert.deepEqual(texts(""), []);
});

Deno.test("what is remembered has a limit", () => {
  const seen = new Seen();
  for (let i = 0; i < 20_000; i++) seen.add(event(`T${i}`, { n: String(i) }));
  seen.add(event("x".repeat(1000), { n: "x".repeat(1000) }));
  const all = seen.suggestions("", NOTHING_ASKED, Infinity);
  assert.equal(all.length, 5500);
  assert.ok(all.some((found) => found.what === "type" && found.type === "T19999"));
});
