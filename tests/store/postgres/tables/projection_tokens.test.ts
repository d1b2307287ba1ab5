import assert from "node:assert/strict";
import { readProjection } from "../../../../src/store/postgres/tables/projections.ts";

/** The halves of the tokens of a type and an ID. */
function halvesOf(type: string, id: string): string[] {
  return readProjection({ type, id }).params!.flatMap((token) => {
    const text = String(token);
    assert.equal(text.length, 32);
    return [text.slice(0, 16), text.slice(16)];
  });
}

Deno.test("the types of a space have half a token in common, and no key depends on less than 128 bits of its space", () => {
  const [space, type, id, key] = halvesOf("within:tenant=t1/p", "1");
  const [sameSpace, otherType, sameId, otherKey] = halvesOf("within:tenant=t1/q", "1");
  assert.deepEqual([sameSpace, sameId], [space, id]);
  assert.ok(otherType !== type && otherKey !== key);
  const [otherSpace, sameType, , keyElsewhere] = halvesOf("within:tenant=t2/p", "1");
  assert.equal(sameType, type);
  assert.ok(otherSpace !== space && keyElsewhere !== key);
  // The order of types and IDs in a space is that outside of it.
  const [outside, , idOutside] = halvesOf("p", "1");
  assert.deepEqual([outside, idOutside], [type, id]);
});
