import assert from "node:assert/strict";
import fc from "fast-check";
import { matches, mergeDuplicateItems, type Queried, type QueryItem } from "../../src/model/query.ts";
import type { Tag } from "../../src/model/tag.ts";

function tag(name: string, value: string): Tag {
  return { name, value };
}

function item(parts: Partial<QueryItem>): QueryItem {
  return { types: [], identifiers: [], metadata: [], ...parts };
}

const event: Queried = {
  type: "OrderPlaced",
  identifiers: [tag("order", "1"), tag("order", "2"), tag("customer", "c")],
  metadata: [tag("user", "u")],
};

Deno.test("every event matches every, and no event matches none", () => {
  assert.equal(matches("every", event), true);
  assert.equal(matches("none", event), false);
  assert.equal(matches([], event), false);
});

Deno.test("an event matches a query if it matches any item", () => {
  const other = item({ types: ["Other"] });
  assert.equal(matches([other, item({ types: ["OrderPlaced"] })], event), true);
  assert.equal(matches([other, item({ metadata: [tag("user", "v")] })], event), false);
});

Deno.test("types are alternatives", () => {
  assert.equal(matches([item({ types: ["Other", "OrderPlaced"] })], event), true);
  assert.equal(matches([item({ types: ["Other", "OrderPlace"] })], event), false);
});

Deno.test("every listed tag must be on the event", () => {
  assert.equal(matches([item({ identifiers: [tag("order", "2"), tag("order", "1")] })], event), true);
  assert.equal(matches([item({ identifiers: [tag("order", "1"), tag("order", "3")] })], event), false);
  assert.equal(matches([item({ metadata: [tag("user", "u"), tag("user", "v")] })], event), false);
});

Deno.test("the keys of an item are combined with AND", () => {
  const whole = { types: ["OrderPlaced"], identifiers: [tag("order", "1")], metadata: [tag("user", "u")] };
  assert.equal(matches([item(whole)], event), true);
  assert.equal(matches([item({ ...whole, types: ["Other"] })], event), false);
  assert.equal(matches([item({ ...whole, identifiers: [tag("order", "3")] })], event), false);
  assert.equal(matches([item({ ...whole, metadata: [tag("user", "v")] })], event), false);
});

Deno.test("identifiers and metadata are separate namespaces", () => {
  assert.equal(matches([item({ identifiers: [tag("user", "u")] })], event), false);
  assert.equal(matches([item({ metadata: [tag("order", "1")] })], event), false);
});

Deno.test("name and value are compared exactly, each for itself", () => {
  for (
    const wrong of [
      tag("Order", "1"),
      tag("order", "1 "),
      tag("order1", ""),
      tag("order", "c"),
      tag("1", "order"),
    ]
  ) {
    assert.equal(matches([item({ identifiers: [wrong] })], event), false);
  }
  const composed = { ...event, type: "\u00e9" };
  assert.equal(matches([item({ types: ["e\u0301"] })], composed), false);
});

const name = fc.constantFrom("a", "b", "");
const tags = fc.array(fc.record({ name, value: name }), { maxLength: 3 });
const anyItem = fc.record({ types: fc.array(name, { maxLength: 3 }), identifiers: tags, metadata: tags });

Deno.test("merging duplicate items keeps what a query means", () => {
  const queried = fc.record({ type: name, identifiers: tags, metadata: tags });
  fc.assert(
    fc.property(fc.array(anyItem, { maxLength: 6 }), queried, (items, event) => {
      assert.equal(matches(mergeDuplicateItems(items), event), matches(items, event));
    }),
    { numRuns: 1000 },
  );
});

Deno.test("an item in another order of its entries is merged into the first", () => {
  fc.assert(fc.property(fc.array(anyItem, { minLength: 1, maxLength: 6 }), fc.nat(), (items, pick) => {
    const chosen = items[pick % items.length];
    assert.ok(chosen);
    const turned = {
      types: chosen.types.toReversed(),
      identifiers: chosen.identifiers.toReversed(),
      metadata: chosen.metadata.toReversed(),
    };
    const merged = mergeDuplicateItems(items);
    assert.deepEqual(mergeDuplicateItems([...items, turned]), merged);
    assert.deepEqual(merged, items.filter((item) => merged.includes(item)));
  }));
});

Deno.test("items that differ in the place or number of a value are not merged", () => {
  const items = [
    item({ types: ["a"] }),
    item({ types: ["a", "a"] }),
    item({ types: ["a,b"] }),
    item({ types: ["a", "b"] }),
    item({ identifiers: [tag("a", "b")] }),
    item({ identifiers: [tag("b", "a")] }),
    item({ metadata: [tag("a", "b")] }),
    item({ metadata: [tag("a", "b"), tag("", "")] }),
    item({ metadata: [tag("", ""), tag("a", ""), tag("", "b")] }),
  ];
  assert.deepEqual(mergeDuplicateItems(items), items);
});
