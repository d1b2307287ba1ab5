import assert from "node:assert/strict";
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

const event = '"type":"t","identifiers":{},"payload":""';
const version = crypto.randomUUID();

const writes: readonly [cause: string, body: string, message: RegExp][] = [
  ["event: missing type", '{"events":[{"identifiers":{},"payload":""}]}', /^events\[0\].*type/],
  ["event: empty type", '{"events":[{"type":"","identifiers":{},"payload":""}]}', /^events\[0\].*type/],
  ["event: missing payload", '{"events":[{"type":"t","identifiers":{}}]}', /^events\[0\].*payload/],
  [
    "event: null payload",
    '{"events":[{"type":"t","identifiers":{},"payload":null}]}',
    /^events\[0\].*payload/,
  ],
  ["event: payload that is an object", '{"events":[{"type":"t","payload":{}}]}', /^events\[0\].*payload/],
  [
    "event: empty array as a tag value",
    '{"events":[{"type":"t","identifiers":{"a":[]},"payload":""}]}',
    /^events\[0\]/,
  ],
  [
    "event: null as a tag value",
    '{"events":[{"type":"t","metadata":{"a":null},"payload":""}]}',
    /^events\[0\]/,
  ],
  [
    "event: a number as a tag value",
    '{"events":[{"type":"t","identifiers":{"a":1},"payload":""}]}',
    /^events\[0\]/,
  ],
  [
    "event: duplicate identifier, named by position",
    `{"events":[{${event}},{"type":"t","identifiers":{"a":["1","2","1"]},"payload":""}]}`,
    /^events\[1\]/,
  ],
  [
    "event: duplicate metadata entry",
    '{"events":[{"type":"t","metadata":{"a":["1","1"]},"payload":""}]}',
    /^events\[0\]/,
  ],
  ["event: unknown key", `{"events":[{${event},"sequence":1}]}`, /^events\[0\].*sequence/],
  [
    "condition: negative afterSequence",
    `{"conditions":[{},{"afterSequence":-1,"store":"x"}]}`,
    /^conditions\[1\].*afterSequence/,
  ],
  [
    "condition: afterSequence without store",
    '{"conditions":[{"failIfEventsMatch":"*","afterSequence":1}]}',
    /^conditions\[0\].*store/,
  ],
  [
    "condition: store without afterSequence",
    '{"conditions":[{"failIfEventsMatch":"*","store":"x"}]}',
    /^conditions\[0\].*afterSequence/,
  ],
  ["condition: empty store", '{"conditions":[{"afterSequence":1,"store":""}]}', /^conditions\[0\].*store/],
  ["condition: unknown key", '{"conditions":[{"query":"*"}]}', /^conditions\[0\].*query/],
  [
    "condition: the literal of other editions",
    '{"conditions":[{"failIfEventsMatch":"none"}]}',
    /^conditions\[0\]/,
  ],
  [
    "create: missing type",
    '{"projections":{"create":[{"id":"a","payload":""}]}}',
    /^projections\.create\[0\].*type/,
  ],
  [
    "create: empty id",
    '{"projections":{"create":[{"type":"t","id":"","payload":""}]}}',
    /^projections\.create\[0\].*id/,
  ],
  [
    "create: missing payload",
    '{"projections":{"create":[{"type":"t","id":"a"}]}}',
    /^projections\.create\[0\].*payload/,
  ],
  [
    "create: null payload",
    '{"projections":{"create":[{"type":"t","id":"a","payload":null}]}}',
    /^projections\.create\[0\].*payload/,
  ],
  [
    "create: a version",
    `{"projections":{"create":[{"type":"t","id":"a","payload":"","version":"${version}"}]}}`,
    /^projections\.create\[0\].*version/,
  ],
  [
    "replace: missing version",
    '{"projections":{"replace":[{"type":"t","id":"a","payload":""}]}}',
    /^projections\.replace\[0\].*version/,
  ],
  [
    "replace: empty version",
    '{"projections":{"replace":[{"type":"t","id":"a","payload":"","version":""}]}}',
    /^projections\.replace\[0\].*version/,
  ],
  [
    "replace: missing payload",
    `{"projections":{"replace":[{"type":"t","id":"a","version":"${version}"}]}}`,
    /^projections\.replace\[0\].*payload/,
  ],
  [
    "delete: missing id",
    `{"projections":{"delete":[{"type":"t","version":"${version}"}]}}`,
    /^projections\.delete\[0\].*id/,
  ],
  [
    "delete: missing version",
    '{"projections":{"delete":[{"type":"t","id":"a"}]}}',
    /^projections\.delete\[0\].*version/,
  ],
  [
    "delete: a payload",
    `{"projections":{"delete":[{"type":"t","id":"a","version":"${version}","payload":""}]}}`,
    /^projections\.delete\[0\].*payload/,
  ],
  [
    "projection: the same type and id twice in one list",
    '{"projections":{"create":[{"type":"t","id":"a","payload":""},{"type":"t","id":"a","payload":"x"}]}}',
    /^projections\.create\[1\]/,
  ],
  [
    "projection: the same type and id in two lists",
    `{"projections":{"delete":[{"type":"t","id":"a","version":"x"}],"create":[{"type":"t","id":"a","payload":""}]}}`,
    /^projections\.delete\[0\]/,
  ],
  ["event: a key twice", '{"events":[{"type":"t","type":"t","payload":""}]}', /type/],
  ["event: a tag name twice", '{"events":[{"type":"t","identifiers":{"a":"1","a":"2"},"payload":""}]}', /a/],
  ["event: a lone surrogate", '{"events":[{"type":"t","payload":"\\udc00"}]}', /^events\[0\].*payload/],
  [
    "event: a lone surrogate in a tag name",
    '{"events":[{"type":"t","identifiers":{"\\ud800":"1"},"payload":""}]}',
    /^events\[0\]/,
  ],
  [
    "create: a lone surrogate in the id",
    '{"projections":{"create":[{"type":"t","id":"\\ud83d","payload":""}]}}',
    /^projections\.create\[0\].*id/,
  ],
  ["projections: unknown key", '{"projections":{"update":[]}}', /update/],
  ["events that are no array", '{"events":{}}', /events/],
  ["projections that are an array", '{"projections":[]}', /projections/],
  ["an event that is null", '{"events":[null]}', /^events\[0\]/],
];

for (const [cause, body, message] of writes) {
  Deno.test(`400 on POST /write: ${cause}`, async () => {
    assertRejected(await client.request("POST", "/write", { body }), 400, "InvalidRequest", message);
  });
}

Deno.test("after every rejected request the store is still empty", async () => {
  assert.deepEqual((await client.queryEvents()).events, []);
  assert.equal((await client.request("GET", "/projections/t/a")).status, 404);
});
