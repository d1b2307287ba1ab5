import assert from "node:assert/strict";
import { readRead } from "../editions/a_write/decode_bodies.ts";

Deno.test("a read starts at the beginning and takes the default page when it says nothing else", () => {
  const expected = { query: "every", afterSequence: 0, limit: 1000 };
  assert.deepEqual(readRead({ query: "*" }), expected);
  assert.deepEqual(readRead({ query: "*", afterSequence: null, limit: null }), expected);
});

Deno.test("a read keeps its query, position and limit", () => {
  assert.deepEqual(readRead({ limit: 1, afterSequence: 12, query: [{ types: ["a"] }] }), {
    query: [{ types: ["a"], identifiers: [], metadata: [] }],
    afterSequence: 12,
    limit: 1,
  });
});

Deno.test("a limit of maxEventsPerPage is accepted", () => {
  assert.equal(readRead({ query: "*", limit: 10000 }).limit, 10000);
});
