import type { Client } from "../../support/client.ts";
import { assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({ listen: "unix" });
  client = server.client();
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const items = (count: number): unknown[] => Array.from({ length: count }, (_, i) => ({ types: [`${i}`] }));
const values = (count: number): string[] => Array.from({ length: count }, (_, i) => String(i));
/** Queries that are rejected both in a read and in a condition. */
const queries: readonly [cause: string, query: unknown, message: RegExp][] = [
  ["query: not an array of items or the literal", "all", /query|failIfEventsMatch/],
  ["query: an object", { types: ["t"] }, /query|failIfEventsMatch/],
  ["query: a number", 1, /query|failIfEventsMatch/],
  ["query: an empty array", [], /query|failIfEventsMatch/],
  ["query: an empty item", [{ types: ["t"] }, {}], /\[1\]/],
  ["query: only null keys in an item", [{ types: null }], /\[0\]/],
  ["query: an item that is a string", ["*"], /\[0\]/],
  ["query: empty types", [{ types: [] }], /\[0\].*types/],
  ["query: empty identifiers", [{ types: ["t"], identifiers: [] }], /\[0\].*identifiers/],
  ["query: empty metadata", [{ types: ["t"], metadata: [] }], /\[0\].*metadata/],
  ["query: a type that is no string", [{ types: [1] }], /\[0\]/],
  ["query: an identifier without value", [{ identifiers: [{ name: "a" }] }], /value/],
  ["query: an identifier without name", [{ identifiers: [{ value: "a" }] }], /name/],
  ["query: the tag object shape of an event", [{ identifiers: { a: "1" } }], /\[0\].*identifiers/],
  ["query: unknown key in an item", [{ types: ["t"], not: true }], /not/],
  ["query: unknown key in an entry", [{ metadata: [{ name: "a", value: "b", x: 1 }] }], /x/],
  ["query: a key in another case", [{ Types: ["t"] }], /Types/],
  ["query: over 100 items", items(101), /100/],
  ["query: over 100 values in an item", [{ types: ["t"] }, { types: values(101) }], /\[1\].*100/],
  ["query: over 100 values across the keys of an item", [{
    types: values(50),
    identifiers: values(50).map((value) => ({ name: "a", value })),
    metadata: [{ name: "a", value: "b" }],
  }], /\[0\].*100/],
];

const reads: readonly [cause: string, body: string, message: RegExp][] = [
  ["query missing", "{}", /query/],
  ["query null", '{"query":null}', /query/],
  ["non-integer afterSequence", '{"query":"*","afterSequence":1.5}', /afterSequence/],
  ["afterSequence as a string", '{"query":"*","afterSequence":"1"}', /afterSequence/],
  ["negative afterSequence", '{"query":"*","afterSequence":-1}', /afterSequence/],
  [
    "afterSequence of 2^63",
    '{"query":"*","afterSequence":9223372036854775808}',
    /afterSequence/,
  ],
  ["limit below 1", '{"query":"*","limit":0}', /limit/],
  ["limit above maxEventsPerPage", '{"query":"*","limit":10001}', /limit.*maxEventsPerPage|maxEventsPerPage/],
  ["a key twice in an item", '{"query":[{"types":["a"],"types":["a"]}]}', /types/],
  ["a key twice, once escaped", '{"query":"*","quer\\u0079":"*"}', /query/],
  ["a lone surrogate", '{"query":[{"types":["\\ud800"]}]}', /types/],
  ["unknown key time", '{"query":"*","time":{}}', /time/],
];

async function assertInvalid(
  method: string,
  target: string,
  body: string | Uint8Array,
  message: RegExp,
): Promise<void> {
  assertRejected(await client.request(method, target, { body }), 400, "InvalidRequest", message);
}

for (const [cause, query, message] of queries) {
  Deno.test(`400: ${cause}`, async () => {
    await assertInvalid("QUERY", "/events", JSON.stringify({ query }), message);
    const condition = JSON.stringify({ conditions: [{}, { failIfEventsMatch: query }] });
    await assertInvalid("POST", "/write", condition, /^conditions\[1\]/);
    await assertInvalid("POST", "/write", condition, message);
  });
}
for (const [cause, body, message] of reads) {
  Deno.test(`400 on QUERY /events: ${cause}`, () => assertInvalid("QUERY", "/events", body, message));
}
