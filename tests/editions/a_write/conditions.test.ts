import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import { assertRejected } from "../../support/replies.ts";
import { type ServerProcess, startServer } from "../../support/server_process.ts";

let server: ServerProcess;
let client: Client;
let store: string;

Deno.test.beforeAll(async () => {
  server = await startServer({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
  client = server.client();
});
Deno.test.beforeEach(async () => {
  await client.reset();
  store = await client.storeId();
  await client.append(event("a", "1"), event("b", "1"), event("a", "2"), event("c", "3"));
});
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

function event(type: string, account: string): unknown {
  return { type, identifiers: { account }, payload: "" };
}

async function assertHolds(...conditions: unknown[]): Promise<void> {
  const reply = await client.write({ conditions, events: [event("new", "9")] });
  assert.equal(reply.status, 200, reply.text);
}

async function assertConflict(message: string, ...conditions: unknown[]): Promise<void> {
  const before = (await client.queryEvents()).reply.text;
  const reply = await client.write({ conditions, events: [event("new", "9")] });
  assertRejected(reply, 409, "ConcurrencyException", message);
  assert.equal((await client.queryEvents()).reply.text, before, "a rejected write left something");
}

const FAILED = "conditions[0] no longer holds";
const OTHER_STORE = "conditions[0] was read on another store";

Deno.test("condition without afterSequence fails on any committed match, whatever the store", async () => {
  await assertConflict(FAILED, { failIfEventsMatch: [{ types: ["b"] }] });
  await assertHolds({ failIfEventsMatch: [{ types: ["z"] }] });
});

Deno.test("condition with afterSequence fails only on a match after it", async () => {
  const query = [{ types: ["a"] }];
  await assertConflict(FAILED, { failIfEventsMatch: query, afterSequence: 0, store });
  await assertConflict(FAILED, { failIfEventsMatch: query, afterSequence: 2, store });
  await assertHolds({ failIfEventsMatch: query, afterSequence: 3, store });
});

Deno.test("condition: afterSequence may lie past the last matching event, and not past the last event", async () => {
  await assertHolds({ failIfEventsMatch: [{ types: ["a"] }], afterSequence: 4, store });
  for (const afterSequence of [6, 1000]) {
    await assertConflict(OTHER_STORE, { failIfEventsMatch: [{ types: ["a"] }], afterSequence, store });
  }
  // No history is this long.
  const body =
    `{"conditions":[{"failIfEventsMatch":"*","afterSequence":9223372036854775807,"store":"${store}"}]}`;
  assert.equal((await client.request("POST", "/write", { body })).status, 200);
});

Deno.test('condition "*" fails when there is any event after afterSequence', async () => {
  await assertConflict(FAILED, { failIfEventsMatch: "*" });
  await assertConflict(FAILED, { failIfEventsMatch: "*", afterSequence: 3, store });
  await assertHolds({ failIfEventsMatch: "*", afterSequence: 4, store });
});

Deno.test("condition without failIfEventsMatch: {} holds, afterSequence alone asks for any event", async () => {
  await assertHolds({});
  await assertHolds({ failIfEventsMatch: null, afterSequence: null, store: null });
  await assertConflict(FAILED, { afterSequence: 5, store });
  await assertHolds({ afterSequence: 6, store });
});

Deno.test("condition: the fields of a query combine as in a read", async () => {
  const account = (value: string): unknown => ({ name: "account", value });
  await assertHolds({ failIfEventsMatch: [{ types: ["b"], identifiers: [account("2")] }] });
  await assertConflict(FAILED, { failIfEventsMatch: [{ types: ["a"], identifiers: [account("2")] }] });
  await assertHolds({ failIfEventsMatch: [{ metadata: [account("1")] }] });
  await assertConflict(FAILED, { failIfEventsMatch: [{ types: ["z"] }, { identifiers: [account("3")] }] });
});

Deno.test("condition with another store ID: was read on another store, compared before the query", async () => {
  await assertConflict(OTHER_STORE, {
    failIfEventsMatch: [{ types: ["z"] }],
    afterSequence: 4,
    store: crypto.randomUUID(),
  });
  await assertConflict(OTHER_STORE, { failIfEventsMatch: "*", afterSequence: 0, store: crypto.randomUUID() });
  await assertConflict(OTHER_STORE, { failIfEventsMatch: "*", afterSequence: 4, store: "not a UUID" });
  await assertConflict(OTHER_STORE, { failIfEventsMatch: "*", afterSequence: 4, store: store.toUpperCase() });
  await assertConflict(OTHER_STORE, { afterSequence: 4, store: crypto.randomUUID() });
});

Deno.test("conditions are checked in order and the first that fails is named", async () => {
  const holds = { failIfEventsMatch: [{ types: ["z"] }] };
  const fails = { failIfEventsMatch: "*" };
  const elsewhere = { failIfEventsMatch: "*", afterSequence: 4, store: crypto.randomUUID() };
  await assertConflict("conditions[2] no longer holds", holds, holds, fails, elsewhere);
  await assertConflict("conditions[1] was read on another store", holds, elsewhere, fails);
  await assertConflict("conditions[99] no longer holds", ...Array(99).fill(holds), fails);
});

Deno.test("a conflict names for programs the condition, and the first event that breaks it", async () => {
  const holds = { failIfEventsMatch: [{ types: ["z"] }] };
  const elsewhere = { afterSequence: 0, store: crypto.randomUUID() };
  const cases: [conditions: unknown[], message: string, conflict: object][] = [
    [[{ failIfEventsMatch: "*" }], FAILED, { condition: 0, sequence: 1 }],
    [[{ failIfEventsMatch: "*", afterSequence: 2, store }], FAILED, { condition: 0, sequence: 3 }],
    [[holds, { failIfEventsMatch: [{ types: ["b"] }] }], "conditions[1] no longer holds", {
      condition: 1,
      sequence: (await client.queryEvents([{ types: ["b"] }])).events[0]!.sequence,
    }],
    [[holds, holds, elsewhere], "conditions[2] was read on another store", { condition: 2 }],
  ];
  for (const [conditions, message, conflict] of cases) {
    assertRejected(await client.write({ conditions }), 409, "ConcurrencyException", message, conflict);
  }
});

Deno.test("conditions are checked before projections", async () => {
  const create = [{ type: "t", id: "x", payload: "" }];
  assert.equal((await client.write({ projections: { create } })).status, 200);
  const reply = await client.write({ conditions: [{ failIfEventsMatch: "*" }], projections: { create } });
  assertRejected(reply, 409, "ConcurrencyException", FAILED);
});

Deno.test("a condition sees each earlier write, also right after it and after a restart", async () => {
  for (let i = 0; i < 20; i++) {
    const account = `fresh ${i}`;
    const condition = { failIfEventsMatch: [{ identifiers: [{ name: "account", value: account }] }] };
    await assertHolds(condition);
    await client.append(event("x", account));
    await assertConflict(FAILED, condition);
  }
  await server.restart();
  await assertConflict(FAILED, {
    failIfEventsMatch: [{ identifiers: [{ name: "account", value: "fresh 3" }] }],
  });
  await assertConflict(FAILED, { failIfEventsMatch: [{ types: ["x"] }], afterSequence: 4, store });
});
