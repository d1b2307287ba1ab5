import assert from "node:assert/strict";
import { assertRejected } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";

let store: string;

/** The number of filler events: too many for the server to answer a query from the start event by event. */
const FILLERS = 1200;

const server = serverOfFile({ listen: "unix" });
const client = server.client();
Deno.test.beforeAll(async () => {
  const filler = { type: "filler", identifiers: { filler: "1" }, metadata: { filler: "2" }, payload: "" };
  for (let i = 0; i < FILLERS; i += 100) await client.append(...Array(100).fill(filler));
  await client.append(
    { type: "opened", identifiers: { account: "1" }, metadata: { by: "ann" }, payload: "1" },
    { type: "moved", identifiers: { account: ["1", "2"] }, metadata: { by: "bob" }, payload: "2" },
    { type: "closed", identifiers: { account: "2" }, metadata: { by: ["ann", "bob"] }, payload: "3" },
    { type: "opened", identifiers: { by: "ann" }, metadata: { account: "1" }, payload: "4" },
    { type: "Opened", identifiers: { account: "1 ", name: "e\u0301" }, payload: "5" },
    { type: "plain", identifiers: {}, payload: "6" },
  );
  // After a restart, the writer holds no events in memory.
  await server.restart();
  store = await client.storeId();
});

const tag = (name: string, value: string): unknown => ({ name, value });

/** Returns the numbers of the events that a read finds. Reads from the start and from the last filler must agree. */
async function found(query: unknown): Promise<number[]> {
  const numbers = [];
  for (const afterSequence of [0, FILLERS]) {
    const page = await client.queryEvents(query, { afterSequence, limit: 10_000 });
    assert.equal(page.reply.status, 200, page.reply.text);
    const events = page.events.filter((event) => event.type !== "filler");
    for (const event of events) assert.equal(event.sequence, FILLERS + Number(event.payload));
    numbers.push(events.map((event) => Number(event.payload)));
  }
  assert.deepEqual(numbers[0], numbers[1]);
  return numbers[0] ?? [];
}

/** Returns true when a condition on the query fails. Positions at the start and at the last filler must agree. */
async function fails(query: unknown): Promise<boolean> {
  const statuses = [];
  for (const range of [{}, { afterSequence: 0, store }, { afterSequence: FILLERS, store }]) {
    const reply = await client.write({ conditions: [{ failIfEventsMatch: query, ...range }] });
    statuses.push(reply.status);
  }
  assert.equal(new Set(statuses).size, 1, statuses.join());
  return statuses[0] === 409;
}

const rows: readonly [name: string, query: unknown, expected: readonly number[]][] = [
  ['"*" matches every event', "*", [1, 2, 3, 4, 5, 6]],
  ["types: the event's type is one of them", [{ types: ["opened", "closed"] }], [1, 3, 4]],
  ["identifiers: the event carries every listed one", [{
    identifiers: [tag("account", "1"), tag("account", "2")],
  }], [2]],
  ["metadata: the event carries every listed one", [{ metadata: [tag("by", "ann"), tag("by", "bob")] }], [3]],
  ["identifiers and metadata are separate namespaces", [{ identifiers: [tag("by", "ann")] }], [4]],
  ["metadata is not searched for identifiers", [{ metadata: [tag("account", "1")] }], [4]],
  ["rule 2: the keys of one item are combined with AND", [{
    types: ["opened", "moved"],
    identifiers: [tag("account", "1")],
    metadata: [tag("by", "bob")],
  }], [2]],
  ["rule 1: items are combined with OR", [{ types: ["closed"] }, { identifiers: [tag("by", "ann")] }], [
    3,
    4,
  ]],
  ["an event that matches several items comes once", [{ types: ["opened"] }, {
    metadata: [tag("by", "ann")],
  }], [
    1,
    3,
    4,
  ]],
  ["rule 5: case counts", [{ types: ["Opened"] }], [5]],
  ["rule 5: spaces count", [{ identifiers: [tag("account", "1 ")] }], [5]],
  ["rule 5: no Unicode normalization", [{ identifiers: [tag("name", "\u00e9")] }], []],
  ["rule 5: the same bytes are found", [{ identifiers: [tag("name", "e\u0301")] }], [5]],
  ["values are no patterns", [{ types: ["open*", "%", "*"] }], []],
  ["an empty string in a query matches nothing here", [{ types: [""] }], []],
  ["null for a key of an item means left out", [{ types: ["moved"], identifiers: null, metadata: null }], [
    2,
  ]],
  ["an item that no event fulfils", [{ types: ["opened"], identifiers: [tag("account", "2")] }], []],
];

for (const [name, query, expected] of rows) {
  Deno.test(`query: ${name}`, async () => {
    assert.deepEqual(await found(query), expected);
    assert.equal(await fails(query), expected.length > 0);
  });
}

Deno.test("query rule 6: duplicate items in any order are merged before the 100 items are counted", async () => {
  const items: unknown[] = Array.from({ length: 99 }, (_, i) => ({ types: [`none${i}`] }));
  const item = { types: ["opened", "x"], identifiers: [tag("account", "1"), tag("account", "1")] };
  const turned = { identifiers: [tag("account", "1"), tag("account", "1")], types: ["x", "opened"] };
  assert.deepEqual(await found([...items, item, turned, item]), [1]);
  assertRejected(
    await client.request("QUERY", "/events", { json: { query: [...items, item, { types: ["x"] }] } }),
    400,
    "InvalidRequest",
    /query/,
  );
});

Deno.test("query rule 6: 100 items of 100 values each find the matching events", async () => {
  const items = Array.from({ length: 100 }, (_, i) => ({
    types: Array.from({ length: 50 }, (_, j) => i === 99 && j === 49 ? "closed" : `type ${i} ${j}`),
    metadata: Array.from({ length: 50 }, (_, j) => tag("by", j % 2 === 0 ? "ann" : "bob")),
  }));
  assert.deepEqual(await found(items), [3]);
});
