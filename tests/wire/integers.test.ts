import assert from "node:assert/strict";
import { readRead } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

function afterSequence(literal: string): number {
  return readRead(`{"query":"*","afterSequence":${literal}}`).afterSequence;
}

Deno.test("every spelling of an integer is accepted", () => {
  const cases: [string, number][] = [
    ["0", 0],
    ["-0", 0],
    ["-0.0e5", 0],
    ["1.0", 1],
    ["1e2", 100],
    ["12.5e1", 125],
    ["9007199254740991", 9007199254740991],
  ];
  for (const [literal, expected] of cases) assert.ok(Object.is(afterSequence(literal), expected), literal);
});

Deno.test("integers from 2^53 to below 2^63 behave like the highest safe integer", () => {
  const literals = [
    "9007199254740992",
    "1e18",
    "9223372036854774784",
    "9223372036854775296",
    "9223372036854775807",
    "9223372036854775807.000",
    "9.223372036854775807e18",
    "9.2233720368547756e+18",
    "0.9223372036854775807E19",
    "922337203685477580700e-2",
  ];
  for (const literal of literals) assert.equal(afterSequence(literal), Number.MAX_SAFE_INTEGER, literal);
});

Deno.test("2^63, larger numbers, and numbers that are no integers are rejected", () => {
  const literals = [
    "9223372036854775808",
    "9223372036854775809",
    "9.223372036854775808e18",
    "9223372036854775807.5",
    "922337203685477580701e-2",
    "1e19",
    "1e400",
    "1.5",
    "1e-1",
  ];
  for (const literal of literals) {
    expectInvalid(() => afterSequence(literal), "afterSequence must be an integer below 2^63");
  }
});

Deno.test("other types are no integers", () => {
  const cases = [['"1"', "a string"], ["true", "a boolean"], ["[1]", "an array"], [
    "{}",
    "an object",
  ]] as const;
  for (const [literal, kind] of cases) {
    expectInvalid(() => afterSequence(literal), `afterSequence must be an integer, not ${kind}`);
  }
});

Deno.test("the digits of strings and of other numbers do not disturb each other", () => {
  const name = '9223372036854775808 \\" 9223372036854775807';
  const text = `{"afterSequence": 9223372036854775807 ,"limit":7,"query":[{"types":["${name}","-1.5e3"]}]}`;
  assert.deepEqual(readRead(text), {
    query: [{ types: [JSON.parse(`"${name}"`), "-1.5e3"], identifiers: [], metadata: [] }],
    afterSequence: Number.MAX_SAFE_INTEGER,
    limit: 7,
  });
});
