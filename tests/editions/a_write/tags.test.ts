import assert from "node:assert/strict";
import type { Client, EventLine } from "../../support/client.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  client = server.client();
});
Deno.test.beforeEach(() => client.reset());
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

async function readBack(event: unknown): Promise<EventLine> {
  await client.append(event);
  const [read] = (await client.queryEvents()).events;
  assert.ok(read);
  return read;
}

Deno.test("tag object: one value reads back as a string, also when it was sent as an array of one", async () => {
  const event = await readBack({ type: "t", identifiers: { a: "1", b: ["2"] }, payload: "" });
  assert.deepEqual(event.identifiers, { a: "1", b: "2" });
});

Deno.test("tag object: several values of one name read back as an array in the order sent", async () => {
  const event = await readBack({ type: "t", identifiers: { a: ["z", "x", "y"] }, payload: "" });
  assert.deepEqual(event.identifiers, { a: ["z", "x", "y"] });
});

Deno.test("tag object: names read back in byte order", async () => {
  // In UTF-16 order the astral name (U+10000) would come before U+FFFD.
  const names = ["b", "\u{10000}", "a", "\ufffd", "", "B", "10", "9"];
  await client.append({
    type: "t",
    identifiers: Object.fromEntries(names.map((name) => [name, "v"])),
    payload: "",
  });
  const line = (await client.queryEvents()).reply.text.split("\n")[0] ?? "";
  const inOrder = ["", "10", "9", "B", "a", "b", "\ufffd", "\u{10000}"];
  const tagText = `{${inOrder.map((name) => `${JSON.stringify(name)}:"v"`).join(",")}}`;
  assert.ok(line.includes(`"identifiers":${tagText}`), line);
});

Deno.test("metadata may be left out of a write and reads back as {}", async () => {
  const event = await readBack({ type: "t", identifiers: {}, payload: "" });
  assert.deepEqual(event.identifiers, {});
  assert.deepEqual(event.metadata, {});
});

Deno.test("payload may be empty, and keeps every character, NUL included", async () => {
  assert.equal((await readBack({ type: "t", identifiers: {}, payload: "" })).payload, "");
  await client.reset();
  const payload = 'a\u0000b\u2028\u{1f600}"\\\n\u0007</script>';
  assert.equal((await readBack({ type: "t", identifiers: {}, payload })).payload, payload);
});

Deno.test("tag names and values may be empty, hold NUL and be called __proto__", async () => {
  const body =
    '{"events":[{"type":"t","identifiers":{"__proto__":"p","":"","n\\u0000":["\\u0000","\\u0000x"]},' +
    '"metadata":{"__proto__":["1","2"],"constructor":"c"},"payload":""}]}';
  assert.equal((await client.request("POST", "/write", { body })).status, 200);
  const line = (await client.queryEvents()).reply.text.split("\n")[0] ?? "";
  const read = JSON.parse(line) as EventLine;
  assert.deepEqual(Object.entries(read.identifiers), [["", ""], ["__proto__", "p"], ["n\0", ["\0", "\0x"]]]);
  assert.deepEqual(Object.entries(read.metadata), [["__proto__", ["1", "2"]], ["constructor", "c"]]);
  for (const [name, value] of [["__proto__", "p"], ["", ""], ["n\0", "\0x"]]) {
    assert.equal((await client.queryEvents([{ identifiers: [{ name, value }] }])).events.length, 1, name);
  }
  assert.equal((await client.queryEvents([{ identifiers: [{ name: "n", value: "" }] }])).events.length, 0);
});
