import assert from "node:assert/strict";
import type { Query } from "../../src/model/query.ts";
import { decodeQuery } from "../../src/wire/query.ts";
import { literals, parseText } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

const literalsOfB: ReadonlyMap<string, Query> = new Map([["all", "every"], ["none", "none"]]);

function read(query: unknown): Query {
  return decodeQuery(parseText(JSON.stringify(query)), "query", literals);
}

Deno.test("a literal means what its edition says, and a wrong one is answered with those that exist", () => {
  assert.equal(decodeQuery("*", "query", literals), "every");
  assert.equal(decodeQuery("all", "query", literalsOfB), "every");
  assert.equal(decodeQuery("none", "query", literalsOfB), "none");
  expectInvalid(
    () => decodeQuery("*", "query", literalsOfB),
    'query must be "all" or "none" or a non-empty array of items, not "*"',
  );
});

Deno.test("the keys of an item become its lists, in the order sent", () => {
  const query = [
    {
      types: ["b", "a"],
      identifiers: [{ name: "n", value: "2" }, { value: "1", name: "n" }],
      metadata: [{ name: "", value: "" }],
    },
    { types: ["", "\0", "\u{1f600}"] },
    { types: null, identifiers: null, metadata: [{ name: "__proto__", value: "x" }] },
  ];
  assert.deepEqual(read(query), [
    {
      types: ["b", "a"],
      identifiers: [{ name: "n", value: "2" }, { name: "n", value: "1" }],
      metadata: [{ name: "", value: "" }],
    },
    { types: ["", "\0", "\u{1f600}"], identifiers: [], metadata: [] },
    { types: [], identifiers: [], metadata: [{ name: "__proto__", value: "x" }] },
  ]);
});

Deno.test("100 items of 100 values each are accepted", () => {
  const entries = Array.from({ length: 50 }, (_, i) => ({ name: "n", value: `${i}` }));
  const types = Array.from({ length: 25 }, (_, i) => `t${i}`);
  const items = Array.from({ length: 100 }, (_, i) => ({
    types: [...types, ...types.slice(0, 24), `item ${i}`], // repeated values count too
    identifiers: entries.slice(0, 20),
    metadata: entries.slice(0, 30),
  }));
  assert.equal(read(items).length, 100);
});

Deno.test("items are counted after duplicates in any order are merged", () => {
  const distinct = Array.from({ length: 100 }, (_, i) => ({
    types: ["a", `t${i}`],
    identifiers: [{ name: "n", value: "1" }, { name: "m", value: "2" }],
  }));
  const turned = distinct.map((item) => ({
    identifiers: item.identifiers.toReversed(),
    types: item.types.toReversed(),
  }));
  const flood = [...distinct, ...turned, ...turned, ...distinct, ...turned];
  assert.deepEqual(read(flood), read(distinct));
  assert.equal(read(flood).length, 100);
  expectInvalid(() => read([...flood, { types: ["one more"] }]), "query has more than 100 distinct items");
});

Deno.test("an invalid item is rejected even when the ones before it were merged", () => {
  expectInvalid(
    () => read([...Array(500).fill({ types: ["a"] }), {}]),
    "query[500]: an item needs at least one of types, identifiers and metadata",
  );
});

Deno.test("a query may repeat items, up to 10,000 in all", () => {
  const repeated = (count: number): unknown[] =>
    Array.from({ length: count }, (_, i) => ({ types: [`t${i % 100}`] }));
  assert.equal(read(repeated(10_000)).length, 100);
  expectInvalid(() => read(repeated(10_001)), "query has more than 10000 items, repeated ones included");
});
