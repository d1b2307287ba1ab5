import assert from "node:assert/strict";
import fc from "fast-check";
import type { Tags } from "../../client/mod.ts";
import { matches, type Query, type QueryItem, union } from "../../client/queries.ts";
import { wireQuery } from "../../client/wire.ts";
import { matches as matchesOnTheServer } from "../../src/model/query.ts";
import { decodeEvent } from "../../src/wire/event.ts";
import { decodeQuery } from "../../src/wire/query.ts";

/** Few names and values, so that events match; some are properties that every object inherits. */
const name = fc.constantFrom("a", "b", "constructor", "__proto__", "");
const value = fc.constantFrom("1", "2", "3", "");
const type = fc.constantFrom("T", "U", "V");

function tags(minKeys: number): fc.Arbitrary<Tags> {
  const values = fc.oneof(value, fc.uniqueArray(value, { minLength: 1, maxLength: 3 }));
  const pairs = fc.uniqueArray(fc.tuple(name, values), {
    minLength: minKeys,
    maxLength: 3,
    selector: ([name]) => name,
  });
  return pairs.map((entries) => Object.fromEntries(entries));
}

const event = fc.record({ type, identifiers: tags(0), metadata: tags(0), payload: fc.constant("") });

const item: fc.Arbitrary<QueryItem> = fc.record(
  { types: fc.uniqueArray(type, { minLength: 1 }), identifiers: tags(1), metadata: tags(1) },
  { requiredKeys: [] },
).filter((item) => Object.keys(item).length > 0);

const query: fc.Arbitrary<Query> = fc.oneof(
  fc.constant("*" as const),
  item,
  fc.array(item, { minLength: 1, maxLength: 3 }),
);

const LITERALS = new Map([["*", "every"]] as const);

function onTheServer(query: Query, event: unknown): boolean {
  const sent = JSON.parse(JSON.stringify(wireQuery(query)));
  return matchesOnTheServer(decodeQuery(sent, "query", LITERALS), decodeEvent(event, ""));
}

Deno.test("an event matches a query in the client if and only if it does on the server", () => {
  let found = 0;
  fc.assert(
    fc.property(query, event, (query, event) => {
      const isMatch = matches(query, event);
      if (isMatch) found++;
      assert.equal(isMatch, onTheServer(query, event));
    }),
    { numRuns: 2000 },
  );
  assert.ok(found > 100, `only ${found} matches`);
});

Deno.test("a union matches every event that any of its queries matches", () => {
  fc.assert(fc.property(fc.array(query, { minLength: 1, maxLength: 3 }), event, (queries, event) => {
    assert.equal(matches(union(queries), event), queries.some((query) => matches(query, event)));
  }));
  assert.equal(union([{ types: ["T"] }, "*"]), "*");
});
