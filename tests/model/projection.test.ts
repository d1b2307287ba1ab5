import assert from "node:assert/strict";
import fc from "fast-check";
import { projectionBytesOver, projectionKeyText } from "../../src/model/projection.ts";

Deno.test("the size of a projection counts type, id and payload, and the limit is inclusive", () => {
  const key = { type: "\u00e4", id: "\u20ac" };
  assert.equal(projectionBytesOver(9, key, "\u{1f600}"), 0);
  assert.equal(projectionBytesOver(8, key, "\u{1f600}"), 9);
  assert.equal(projectionBytesOver(5, key, ""), 0);
  assert.equal(projectionBytesOver(4, key, ""), 5);
});

Deno.test("projections have the same key text exactly when type and id are equal", () => {
  const part = fc.string({ unit: fc.constantFrom("a", "b", "1", ":", "\0"), maxLength: 4 });
  const key = fc.record({ type: part, id: part });
  fc.assert(
    fc.property(key, key, (a, b) => {
      assert.equal(projectionKeyText(a), projectionKeyText({ ...a }));
      assert.equal(projectionKeyText(a) === projectionKeyText(b), a.type === b.type && a.id === b.id);
    }),
    { numRuns: 2000 },
  );
});
