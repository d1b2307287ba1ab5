import { rejectsQueries, rejectsReads, rejectsWrites } from "../../wire/rejects.ts";

/** The causes of `400` on bodies, queries and reads, in the order and wording of edition A. */

const event = { type: "a", payload: "" };
const tag = { name: "n", value: "v" };

rejectsWrites("invalid JSON", [["{", /^body is not valid JSON/], ["", /^body is not valid JSON/]]);
rejectsReads("invalid JSON", [["{", /^body is not valid JSON/], ["", /^body is not valid JSON/]]);

rejectsWrites("trailing content after the JSON value", [["{}{}", /^body is not valid JSON/]]);
rejectsReads("trailing content after the JSON value", [['{"query":"*"};', /^body is not valid JSON/]]);

rejectsWrites("unknown key at any level", [
  [{ Events: [] }, 'unknown key "Events"'],
  [{ events: [event, { ...event, time: "" }] }, 'events[1]: unknown key "time"'],
  [{ conditions: [{ query: "*" }] }, 'conditions[0]: unknown key "query"'],
  [
    { conditions: [{ failIfEventsMatch: [{ type: "a" }] }] },
    'conditions[0]: failIfEventsMatch[0]: unknown key "type"',
  ],
  [{ projections: { update: [] } }, 'projections: unknown key "update"'],
  ['{"__proto__":[]}', 'unknown key "__proto__"'],
  ['{"events":[{"type":"a","payload":"","__proto__":null}]}', 'events[0]: unknown key "__proto__"'],
]);
rejectsReads("unknown key at any level", [
  [{ query: "*", time: {} }, 'unknown key "time"'],
  [{ query: [{ types: ["a"] }, { tags: [] }] }, 'query[1]: unknown key "tags"'],
  [{ query: [{ metadata: [{ ...tag, op: "" }] }] }, 'query[0]: metadata[0]: unknown key "op"'],
]);

rejectsWrites("the body is no object", [
  ["null", "body must be an object, not null"],
  ["[]", "body must be an object, not an array"],
  ['"*"', "body must be an object, not a string"],
]);
rejectsReads("the body is no object", [["1", "body must be an object, not a number"]]);

rejectsQueries('not an array of items or "*"', [
  ["all", ' must be "*" or a non-empty array of items, not "all"'],
  ["", ' must be "*" or a non-empty array of items, not ""'],
  [{ types: ["a"] }, ' must be "*" or a non-empty array of items, not an object'],
  [1, ' must be "*" or a non-empty array of items, not a number'],
  [["*"], "[0] must be an object, not a string"],
  [[{ types: ["a"] }, null], "[1] must be an object, not null"],
  [[{ types: "a" }], "[0]: types must be an array, not a string"],
  [[{ types: ["a", 1] }], "[0]: types[1] must be a string, not a number"],
  [
    [{ identifiers: { n: "v" } }],
    '[0]: identifiers must be an array (e.g. [{"name":"course","value":"c1"}]), not an object',
  ],
  [
    [{ metadata: "v" }],
    '[0]: metadata must be an array (e.g. [{"name":"course","value":"c1"}]), not a string',
  ],
  [
    [{ identifiers: [{ n: "v" }] }],
    '[0]: identifiers[0]: unknown key "n" (an entry is like {"name":"course","value":"c1"})',
  ],
  [[{ identifiers: ["n"] }], "[0]: identifiers[0] must be an object, not a string"],
  [[{ identifiers: [tag, { name: "n" }] }], "[0]: identifiers[1]: value is missing"],
  [[{ metadata: [{ value: "v" }] }], "[0]: metadata[0]: name is missing"],
  [[{ metadata: [{ name: "n", value: null }] }], "[0]: metadata[0]: value must be a string, not null"],
]);
rejectsReads("query is missing", [[{}, "query is missing"], [{ query: null }, "query is missing"]]);

rejectsQueries("an empty array where a non-empty one is required", [
  [[], ' is an empty array; it must be "*" or a non-empty array of items'],
  [[{ types: [] }], "[0]: types is an empty array; omit the key"],
  [[{ types: ["a"], identifiers: [] }], "[0]: identifiers is an empty array; omit the key"],
  [[{ types: ["a"] }, { metadata: [] }], "[1]: metadata is an empty array; omit the key"],
]);

rejectsQueries("an empty item", [
  [[{}], "[0]: an item needs at least one of types, identifiers and metadata"],
  [[{ types: ["a"] }, { types: null }], "[1]: an item needs at least one of types, identifiers and metadata"],
]);

const items = (count: number): unknown[] => Array.from({ length: count }, (_, i) => ({ types: [`t${i}`] }));
rejectsQueries("over 100 items", [
  [items(101), " has more than 100 distinct items"],
  [items(5000), " has more than 100 distinct items"],
]);

const values = (count: number): string[] => Array.from({ length: count }, (_, i) => `v${i}`);
const entries = (count: number): unknown[] => values(count).map((value) => ({ name: "n", value }));
rejectsQueries("over 100 values in an item", [
  [[{ types: ["a"] }, { types: values(101) }], "[1]: the item has 101 values, more than 100"],
  [[{ types: ["a", ...Array(100).fill("b")] }], "[0]: the item has 101 values, more than 100"],
  [
    [{ types: values(34), identifiers: entries(34), metadata: entries(33) }],
    "[0]: the item has 101 values, more than 100",
  ],
]);

rejectsReads("non-integer or negative afterSequence", [
  [{ query: "*", afterSequence: 1.5 }, "afterSequence must be an integer below 2^63"],
  [{ query: "*", afterSequence: "1" }, "afterSequence must be an integer, not a string"],
  [{ query: "*", afterSequence: -1 }, "afterSequence must be at least 0"],
  ['{"query":"*","afterSequence":9223372036854775808}', /^afterSequence/],
]);

rejectsReads("limit below 1 or above maxEventsPerPage", [
  [{ query: "*", limit: 0 }, "limit must be at least 1"],
  [{ query: "*", limit: -1 }, "limit must be at least 1"],
  [{ query: "*", limit: 10001 }, "limit is 10001, more than maxEventsPerPage (10000)"],
  [{ query: "*", limit: 2.5 }, "limit must be an integer below 2^63"],
]);

rejectsReads("a key twice, once escaped, or a lone surrogate", [
  ['{"query":[{"types":["a"],"types":["a"]}]}', /types/],
  ['{"query":"*","quer\\u0079":"*"}', /query/],
  ['{"query":[{"types":["\\ud800"]}]}', /types/],
]);
