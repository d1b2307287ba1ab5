import assert from "node:assert/strict";
import { assertRejected } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";

let store: string;

const server = serverOfFile({ listen: "unix", env: { SERVICE_DEV_MODE: "true" } });
const client = server.client();
Deno.test.beforeEach(async () => {
  await client.reset();
  store = await client.storeId();
  await client.append(event("a", "1"), event("b", "1"), event("a", "2"), event("c", "3"));
});

function event(type: string, account: string): unknown {
  return { type, identifiers: { account }, payload: "" };
}

const FAILED = "conditions[0] no longer holds";
const OTHER_STORE = "conditions[0] was read on another store";

/** @param expected what a conflict says; undefined when the conditions hold */
async function assertChecked(
  conditions: readonly unknown[],
  expected?: string,
  conflict?: object,
): Promise<void> {
  const before = (await client.queryEvents()).reply.text;
  const reply = await client.write({ conditions, events: [event("new", "9")] });
  if (expected === undefined) return assert.equal(reply.status, 200, JSON.stringify(conditions) + reply.text);
  assertRejected(reply, 409, "ConcurrencyException", expected, conflict);
  assert.equal((await client.queryEvents()).reply.text, before, "a rejected write left something");
}

Deno.test("a condition fails on an event that matches after its position, and on another store", async () => {
  const a = [{ types: ["a"] }];
  const first = { condition: 0, sequence: 1 };
  const cases: [condition: object, expected?: string, conflict?: object][] = [
    [{ failIfEventsMatch: [{ types: ["b"] }] }, FAILED, { condition: 0, sequence: 2 }],
    [{ failIfEventsMatch: a, afterSequence: 0, store }, FAILED, first],
    [{ failIfEventsMatch: a, afterSequence: 2, store }, FAILED, { condition: 0, sequence: 3 }],
    [{ failIfEventsMatch: "*" }, FAILED, first],
    [{ failIfEventsMatch: "*", afterSequence: 3, store }, FAILED, { condition: 0, sequence: 4 }],
    [{ afterSequence: 3, store }, FAILED],
    // The position may lie past the last matching event, and not past the last event.
    [{ failIfEventsMatch: a, afterSequence: 5, store }, OTHER_STORE, { condition: 0 }],
    [{ failIfEventsMatch: a, afterSequence: 1000, store }, OTHER_STORE],
    // The store is compared before the query, byte by byte.
    [{ failIfEventsMatch: [{ types: ["z"] }], afterSequence: 4, store: crypto.randomUUID() }, OTHER_STORE],
    [{ failIfEventsMatch: "*", afterSequence: 0, store: crypto.randomUUID() }, OTHER_STORE],
    [{ failIfEventsMatch: "*", afterSequence: 4, store: "not a UUID" }, OTHER_STORE],
    [{ failIfEventsMatch: "*", afterSequence: 4, store: store.toUpperCase() }, OTHER_STORE],
    [{ afterSequence: 4, store: crypto.randomUUID() }, OTHER_STORE],
    [{ failIfEventsMatch: a, afterSequence: 4, store }],
    [{ failIfEventsMatch: "*", afterSequence: 5, store }],
    [{ failIfEventsMatch: [{ types: ["z"] }] }],
    [{}],
    [{ failIfEventsMatch: null, afterSequence: null, store: null }],
    [{ afterSequence: 9, store }],
  ];
  for (const [condition, expected, conflict] of cases) await assertChecked([condition], expected, conflict);
  // No history is this long.
  const body =
    `{"conditions":[{"failIfEventsMatch":"*","afterSequence":9223372036854775807,"store":"${store}"}]}`;
  assert.equal((await client.request("POST", "/write", { body })).status, 200);
});

Deno.test("conditions are checked in order, and the first that fails is named", async () => {
  const holds = { failIfEventsMatch: [{ types: ["z"] }] };
  const fails = { failIfEventsMatch: "*" };
  const elsewhere = { failIfEventsMatch: "*", afterSequence: 4, store: crypto.randomUUID() };
  const at = (condition: number): object => ({ condition, sequence: 1 });
  await assertChecked([holds, holds, fails, elsewhere], "conditions[2] no longer holds", at(2));
  await assertChecked([holds, elsewhere, fails], "conditions[1] was read on another store", { condition: 1 });
  await assertChecked([...Array(99).fill(holds), fails], "conditions[99] no longer holds", at(99));
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
    await assertChecked([condition]);
    await client.append(event("x", account));
    await assertChecked([condition], FAILED);
  }
  await server.restart();
  await assertChecked([{
    failIfEventsMatch: [{ identifiers: [{ name: "account", value: "fresh 3" }] }],
  }], FAILED);
  await assertChecked([{ failIfEventsMatch: [{ types: ["x"] }], afterSequence: 4, store }], FAILED);
});
