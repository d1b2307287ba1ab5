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

const READ = '{"query":[{"types":["#"]}]}';
const WRITE = '{"events":[{"type":"#","payload":""}]}';

/** Changes that make a valid body invalid. */
const spoilt: readonly [cause: string, spoil: (body: string) => string | Uint8Array][] = [
  ["empty", () => ""],
  ["white space only", () => " \n"],
  ["cut short", (body) => body.slice(0, -1)],
  ["followed by a second value", (body) => `${body} {}`],
  ["followed by a comma", (body) => `${body},`],
  ["followed by a comment", (body) => `${body} // x`],
  ["followed by a NUL", (body) => `${body}\0`],
  ["holding a trailing comma", (body) => body.replace(/}$/, ",}")],
  ["single-quoted", (body) => body.replaceAll('"', "'")],
  ["holding a raw control character in a string", (body) => body.replace("#", "\n")],
  ["wrapped in an array", (body) => `[${body}]`],
  ["a string", (body) => JSON.stringify(body)],
  ["null", () => "null"],
  ["carrying an unknown key", (body) => body.replace(/}$/, ',"x":1}')],
  ["led by a byte order mark", (body) => `\ufeff${body}`],
  ["not UTF-8", (body) => Uint8Array.from(body, (unit) => unit === "#" ? 0xff : unit.charCodeAt(0))],
  ["UTF-16", (body) => Uint8Array.from([...body].flatMap((unit) => [unit.charCodeAt(0), 0]))],
  ["naming a key twice", (body) => body.replace(/}$/, `,${body.slice(1)}`)],
];

async function assertInvalid(method: string, target: string, body: string | Uint8Array): Promise<void> {
  assertRejected(await client.request(method, target, { body }), 400, "InvalidRequest", /./);
}

for (const [cause, spoil] of spoilt) {
  Deno.test(`400 for a body that is ${cause}`, async () => {
    await assertInvalid("QUERY", "/events", spoil(READ));
    await assertInvalid("POST", "/write", spoil(WRITE));
  });
}

Deno.test("after every rejected request the store is still empty", async () => {
  assert.deepEqual((await client.queryEvents()).events, []);
  assert.equal((await client.request("GET", "/projections/t/a")).status, 404);
});

Deno.test("the same bodies without these changes are accepted", async () => {
  assert.equal((await client.request("QUERY", "/events", { body: READ })).status, 200);
  assert.equal((await client.request("POST", "/write", { body: WRITE })).status, 200);
});
