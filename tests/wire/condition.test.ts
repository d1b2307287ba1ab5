import assert from "node:assert/strict";
import type { Condition } from "../../src/model/condition.ts";
import { readWrite } from "../editions/a_write/decode_bodies.ts";

function read(condition: unknown): Condition {
  const [first] = readWrite({ conditions: [condition] }).conditions;
  assert.ok(first);
  return first;
}

const items = [{ types: ["a"], identifiers: [], metadata: [] }];

Deno.test("a condition without afterSequence looks at every event, on any store", () => {
  assert.deepEqual(read({ failIfEventsMatch: "*" }), { failIfEventsMatch: "every", afterSequence: 0 });
  assert.deepEqual(read({ failIfEventsMatch: [{ types: ["a"] }], afterSequence: null, store: null }), {
    failIfEventsMatch: items,
    afterSequence: 0,
  });
});

Deno.test("a condition keeps its position and the store on which it was read", () => {
  assert.deepEqual(read({ failIfEventsMatch: [{ types: ["a"] }], afterSequence: 7, store: "any text" }), {
    failIfEventsMatch: items,
    afterSequence: 7,
    store: "any text",
  });
  assert.deepEqual(read({ failIfEventsMatch: "*", afterSequence: 0, store: "s" }), {
    failIfEventsMatch: "every",
    afterSequence: 0,
    store: "s",
  });
});

Deno.test("a condition of a position alone fails on any event after it", () => {
  const expected = { failIfEventsMatch: "every", afterSequence: 7, store: "s" };
  assert.deepEqual(read({ afterSequence: 7, store: "s" }), expected);
  assert.deepEqual(read({ failIfEventsMatch: null, afterSequence: 7, store: "s" }), expected);
});

Deno.test("an empty condition always holds", () => {
  assert.deepEqual(read({}), { failIfEventsMatch: "none", afterSequence: 0 });
});

Deno.test("a position beyond the safe integers is the highest of them", () => {
  const { afterSequence } = read({ afterSequence: 2 ** 60, store: "s" });
  assert.equal(afterSequence, Number.MAX_SAFE_INTEGER);
});
