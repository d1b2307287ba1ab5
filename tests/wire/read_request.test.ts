import assert from "node:assert/strict";
import { decodeObjectInside, decodeReadInside } from "../../src/wire/read_request.ts";
import { limits, literals, parseText, readRead } from "../editions/a_write/decode_bodies.ts";
import { expectInvalid } from "./expect_rejection.ts";

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

Deno.test("a read of committed events may be bounded, go backwards, or wait", () => {
  const plain = readRead({ query: "*" });
  const added = (keys: object): unknown => readRead({ query: "*", ...keys });
  assert.deepEqual(
    added({ beforeSequence: null, backwards: null, waitSeconds: null, headAtLeast: null }),
    plain,
  );
  assert.deepEqual(added({ backwards: false }), plain);
  assert.deepEqual(added({ backwards: true, beforeSequence: 1 }), {
    ...plain,
    backwards: true,
    beforeSequence: 1,
  });
  assert.deepEqual(added({ beforeSequence: 2 ** 62, waitSeconds: 0 }), {
    ...plain,
    beforeSequence: Number.MAX_SAFE_INTEGER,
    waitSeconds: 0,
  });
  assert.deepEqual(added({ waitSeconds: 60 }), { ...plain, waitSeconds: 60 });
  assert.deepEqual(added({ headAtLeast: 0, backwards: true }), { ...plain, headAtLeast: 0, backwards: true });
  assert.deepEqual(added({ headAtLeast: 2 ** 62 }), { ...plain, headAtLeast: Number.MAX_SAFE_INTEGER });
});

Deno.test("the fault of an addition to a read is named", () => {
  const rejected: readonly [object, string][] = [
    [{ beforeSequence: 0 }, "beforeSequence must be at least 1"],
    [{ beforeSequence: 1.5 }, "beforeSequence must be an integer below 2^63"],
    [{ backwards: 1 }, "backwards must be a boolean, not a number"],
    [{ waitSeconds: -1 }, "waitSeconds must be at least 0"],
    [{ waitSeconds: 0.5 }, "waitSeconds must be an integer below 2^63"],
    [{ waitSeconds: "1" }, "waitSeconds must be an integer, not a string"],
    [{ headAtLeast: -1 }, "headAtLeast must be at least 0"],
    [{ headAtLeast: 1.5 }, "headAtLeast must be an integer below 2^63"],
    [{ headAtLeast: "1" }, "headAtLeast must be an integer, not a string"],
    [{ waitSeconds: 61 }, "waitSeconds is 61, more than 60"],
    [{ waitSeconds: 0, backwards: true }, "waitSeconds cannot be used with backwards"],
  ];
  for (const [keys, message] of rejected) expectInvalid(() => readRead({ query: "*", ...keys }), message);
});

Deno.test("a read inside a transaction takes none of the additions, and the rejection names the addition", () => {
  const inside = (keys: object): unknown =>
    decodeReadInside(parseText(JSON.stringify({ query: "*", ...keys })), literals, limits);
  assert.deepEqual(inside({ afterSequence: 3 }), readRead({ query: "*", afterSequence: 3 }));
  const additions = { waitSeconds: 0, backwards: false, beforeSequence: null, headAtLeast: 0 };
  for (const [key, value] of Object.entries(additions)) {
    expectInvalid(() => inside({ [key]: value }), `${key} cannot be used inside a transaction`);
    expectInvalid(
      () => decodeObjectInside({ query: "all", [key]: value }, ["query"]),
      `${key} cannot be used inside a transaction`,
    );
  }
  expectInvalid(() => decodeObjectInside({ limit: 1 }, ["query"]), 'unknown key "limit"');
});
