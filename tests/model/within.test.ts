import assert from "node:assert/strict";
import fc from "fast-check";
import { type Access, EVERYTHING, isSameOwner } from "../../src/model/access.ts";
import { matches } from "../../src/model/query.ts";
import { lackingIdentifier, makeWithin, queryWithin, spaceOf } from "../../src/model/within.ts";
import { filterTerms, termsMatch, termsWithin } from "../../src/store/feed/filter_terms.ts";
import { eventTerms } from "../../src/store/core/index_terms.ts";
import { event, queryItem } from "../store/arbitraries.ts";

const T1 = makeWithin([{ name: "tenant", value: "t1" }]);

Deno.test("a restricted query matches exactly the events within that the query matches, as terms too", () => {
  const query = fc.oneof(
    fc.constantFrom("every" as const, "none" as const),
    fc.array(queryItem, { minLength: 1, maxLength: 3 }),
  );
  const tags = fc.array(
    fc.record({ name: fc.constantFrom("a", "b"), value: fc.constantFrom("", "a", "b") }),
    {
      minLength: 1,
      maxLength: 2,
    },
  );
  fc.assert(fc.property(query, event, tags, (query, event, identifiers) => {
    const within = makeWithin(identifiers);
    const isWithin = matches([{ types: [], identifiers, metadata: [] }], event);
    const expected = isWithin && matches(query, event);
    assert.equal(matches(queryWithin(query, within), event), expected);
    const terms = termsWithin(filterTerms(query), within);
    const own = new Set(eventTerms(event).split(" "));
    assert.equal(terms === "every" || terms.some((item) => termsMatch(item, own)), expected);
  }));
});

Deno.test("an event is within if it has each identifier, and none of its names with another value", () => {
  const within = makeWithin([{ name: "tenant", value: "t1" }, { name: "region", value: "eu" }]);
  const lacking = (...pairs: readonly string[]): string | undefined =>
    lackingIdentifier({
      identifiers: pairs.map((pair) => ({ name: pair.split("=")[0]!, value: pair.split("=")[1]! })),
    }, within)?.name;
  assert.equal(lacking("region=eu", "course=t1", "tenant=t1"), undefined);
  assert.equal(lacking("region=eu"), "tenant");
  assert.equal(lacking("tenant=t1"), "region");
  assert.equal(lacking("tenant=t2", "region=eu"), "tenant");
  assert.equal(lacking("tenant=t1", "tenant=t2", "region=eu"), "tenant");
});

Deno.test("each part of a store has a space of its own, which no type of another one is in", () => {
  assert.equal(T1.space, "within:tenant=t1/");
  const odd = makeWithin([{ name: "b/=", value: "&" }, { name: "a", value: "\u00fc" }]);
  assert.equal(odd.space, "within:a=%C3%BC&b%2F%3D=%26/");
  const turned = makeWithin([{ name: "a", value: "\u00fc" }, { name: "b/=", value: "&" }]);
  assert.equal(turned.space, odd.space);
  for (const { space } of [T1, odd]) {
    for (const type of ["", "p", "a/b", T1.space, "within:"]) assert.equal(spaceOf(space + type), space);
  }
  for (const type of ["", "p", "within:", "within:/", "within:a/b", "x within:a=b/c", "within:a=b"]) {
    assert.equal(spaceOf(type), "", type);
  }
});

Deno.test("tokens share what they have begun if they have one name and see the same", () => {
  const token = (name: string, within?: Access["within"]): Access => ({ ...EVERYTHING, name, within });
  const same = makeWithin(T1.identifiers);
  assert.ok(isSameOwner(token("a", T1), token("a", same)) && isSameOwner(token("a"), token("a")));
  for (
    const other of [token("b", T1), token("a"), token("a", makeWithin([{ name: "tenant", value: "t2" }]))]
  ) {
    assert.ok(!isSameOwner(token("a", T1), other));
  }
});
