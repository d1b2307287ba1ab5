import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { Reply } from "../../support/connection.ts";
import { metrics } from "../../support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  append,
  begin,
  type CallOptions,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
} from "./client.ts";

let server: ServerProcess;
let client: Client;

Deno.test.beforeAll(async () => {
  server = await startEditionC();
  client = server.client();
});
Deno.test.beforeEach(async () => assertNoContent(await client.request("POST", "/reset")));
Deno.test.afterAll(() => server[Symbol.asyncDispose]());

const timesOf = (reply: Reply): string[] =>
  reply.json<{ events: { time: string }[] }>().events.map(({ time }) => time);

Deno.test("sequence and time come with the answer, final before commit; every event of one call shares its time", async () => {
  const transaction = await begin(client);
  const first = await transaction.append([event("a"), event("b"), event("c")]);
  assert.deepEqual(sequencesOf(first), [1, 2, 3]);
  const second = await transaction.append([event("d")]);
  assert.deepEqual(sequencesOf(second), [4]);
  const { events, ...others } = first.json<{ events: object[] }>();
  assert.deepEqual(others, {});
  for (const told of events) assert.deepEqual(Object.keys(told), ["sequence", "time"]);
  const [time, ...same] = timesOf(first);
  assert.match(time!, TIMESTAMP);
  assert.deepEqual(same, [time, time]);
  assert.ok(timesOf(second)[0]! > time!, "a call has its own time");
  const inside = (await transaction.read()).events;
  assertNoContent(await transaction.commit());
  const committed = (await client.queryEvents()).events;
  assert.deepEqual(committed, inside);
  assert.deepEqual(committed.map((line) => line.time), [...timesOf(first), ...timesOf(second)]);
});

Deno.test("time is the server's clock during the call, not when the ticket was issued", async () => {
  const transaction = await begin(client);
  const before = Date.now();
  await delay(50);
  const [time] = timesOf(expectStatus(await transaction.append([event("t")]), 200));
  const moment = Date.parse(time!);
  assert.ok(
    moment >= before + 45 && moment <= Date.now() + 1,
    `${time} after ${new Date(before).toISOString()}`,
  );
  assertNoContent(await transaction.rollback());
});

Deno.test("the next transaction uses the sequence numbers of a rolled-back one again", async () => {
  const ends: ((transaction: Transaction) => Promise<unknown>)[] = [
    (transaction) => transaction.rollback(),
    (transaction) => transaction.append([{}]),
    (transaction) => transaction.append([event("t")], { failIfEventsMatch: "*" }),
  ];
  for (const end of ends) {
    const transaction = await begin(client);
    assert.deepEqual(sequencesOf(await transaction.append([event("a"), event("b")])), [1, 2]);
    assert.deepEqual(sequencesOf(await transaction.append([event("c")])), [3]);
    await end(transaction);
  }
  await append(client, event("kept"), event("kept"));
  const { events } = await client.queryEvents();
  assert.deepEqual(events.map(({ sequence, type }) => [sequence, type]), [[1, "kept"], [2, "kept"]]);
});

/** Returns true when an append with this condition succeeds after the committed events `a` and `b`. */
async function holds(condition: unknown, own: readonly unknown[] = []): Promise<boolean> {
  const transaction = await begin(client);
  if (own.length > 0) expectStatus(await transaction.append(own), 200);
  const reply = await transaction.append([event("t")], condition);
  if (reply.status === 200) {
    assertNoContent(await transaction.rollback());
    return true;
  }
  // An append has only one condition, so a failed one needs no message.
  assertRejected(reply, 409, "ConcurrencyException");
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  return false;
}

Deno.test("a condition fails when a matching event exists after afterSequence, or at all without it", async () => {
  await append(client, event("a"), event("b"));
  const a = [{ types: ["a"] }];
  const cases: [unknown, boolean][] = [
    [undefined, true],
    [null, true],
    [{}, true],
    [{ failIfEventsMatch: null, afterSequence: null }, true],
    [{ failIfEventsMatch: a }, false],
    [{ failIfEventsMatch: a, afterSequence: 0 }, false],
    [{ failIfEventsMatch: a, afterSequence: 1 }, true],
    [{ failIfEventsMatch: "*", afterSequence: 1 }, false],
    [{ failIfEventsMatch: "*", afterSequence: 2 }, true],
    [{ failIfEventsMatch: [{ types: ["absent"] }] }, true],
    [{ afterSequence: 2 }, true],
    [{ afterSequence: 1 }, false],
    [{ afterSequence: 3 }, false],
    [{ failIfEventsMatch: a, afterSequence: 99 }, false],
    // No history is this long.
    [{ afterSequence: 2 ** 60 }, true],
  ];
  for (const [condition, expected] of cases) {
    assert.equal(await holds(condition), expected, JSON.stringify(condition));
  }
});

Deno.test("a failed condition names for programs the first event that breaks it", async () => {
  await append(client, event("a"), event("b"), event("b"));
  const transaction = await begin(client);
  const reply = await transaction.append([event("t")], { failIfEventsMatch: [{ types: ["b"] }] });
  assertRejected(reply, 409, "ConcurrencyException", undefined, { condition: 0, sequence: 2 });
});

Deno.test("a condition sees the events of its own transaction", async () => {
  await append(client, event("a"));
  const query = [{ types: ["own"] }];
  assert.equal(await holds({ failIfEventsMatch: query }, [event("own")]), false);
  assert.equal(await holds({ failIfEventsMatch: query, afterSequence: 1 }, [event("own")]), false);
  assert.equal(await holds({ failIfEventsMatch: query, afterSequence: 2 }, [event("own")]), true);
  assert.equal(await holds({ failIfEventsMatch: query }, [event("other")]), true);
});

Deno.test("a condition holds again after the transaction that broke it was rolled back", async () => {
  const condition = { failIfEventsMatch: [{ types: ["own"] }], afterSequence: 0 };
  for (let i = 0; i < 3; i++) assert.equal(await holds(condition, [event("own")]), false);
  assert.equal(await holds(condition), true);
  await append(client, event("own"));
  assert.equal(await holds(condition), false);
});

Deno.test("optimistic flow: read without a ticket, then append with the position read; the second one gets 409", async () => {
  await append(client, event("a"));
  const query = [{ types: ["a"] }];
  const reads = [await client.queryEvents(query), await client.queryEvents(query)];
  const statuses: number[] = [];
  for (const { events } of reads) {
    const transaction = await begin(client);
    const condition = { failIfEventsMatch: query, afterSequence: events.at(-1)!.sequence };
    const reply = await transaction.append([event("a")], condition);
    statuses.push(reply.status);
    if (reply.status === 200) assertNoContent(await transaction.commit());
  }
  assert.deepEqual(statuses, [200, 409]);
  assert.equal((await client.queryEvents(query)).events.length, 2);
});

Deno.test("lost commit: the same condition in a new transaction gets 409 if the first commit went through", async () => {
  const condition = { failIfEventsMatch: [{ types: ["a"] }], afterSequence: 0 };
  const transaction = await begin(client);
  expectStatus(await transaction.append([event("a")], condition), 200);
  assertNoContent(await transaction.commit());
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assert.equal(await holds(condition), false);
});

Deno.test("an empty events array appends nothing and skips the condition, whose shape is still checked", async () => {
  await append(client, event("a"));
  const name = "service_appends_failed_total";
  const before = (await metrics(client)).get(name);
  const transaction = await begin(client);
  for (const condition of [undefined, {}, { failIfEventsMatch: "*" }, { afterSequence: 0 }]) {
    assert.deepEqual(expectStatus(await transaction.append([], condition), 200).json(), { events: [] });
  }
  assert.deepEqual(sequencesOf(await transaction.append([event("b")])), [2]);
  const rejected = await transaction.append([], { failIfEventsMatch: [] });
  assertRejected(rejected, 400, "InvalidRequest", /^condition: failIfEventsMatch is an empty array/);
  assertRejected(await transaction.commit(), 410, "TicketNotActive");
  assert.equal((await metrics(client)).get(name), before);
});

const malformed: readonly (readonly [options: CallOptions, message: RegExp])[] = [
  [{ json: {} }, /^events is missing$/],
  [{ json: { events: null } }, /^events must be an array, not null$/],
  [{ json: { events: {} } }, /^events must be an array, not an object$/],
  [{ json: [] }, /^body must be an object/],
  [{ body: "" }, /./],
  [{ body: '{"events":[]} x' }, /./],
  [{ body: '{"events":[],"events":[]}' }, /./],
  [{ json: { events: [], conditions: [] } }, /^unknown key "conditions"$/],
  [{ json: { events: [], condition: [] } }, /^condition must be an object, not an array$/],
  [{ json: { events: [], condition: "*" } }, /^condition must be an object/],
  [{ json: { events: [], condition: { store: "s" } } }, /^condition: unknown key "store"$/],
  [
    { json: { events: [], condition: { afterSequence: -1 } } },
    /^condition: afterSequence must be at least 0$/,
  ],
  [
    { json: { events: [], condition: { afterSequence: 1.5 } } },
    /^condition: afterSequence must be an integer/,
  ],
  [
    { json: { events: [], condition: { failIfEventsMatch: "all" } } },
    /^condition: failIfEventsMatch must be "\*"/,
  ],
  [{ json: { events: [], condition: { failIfEventsMatch: [{}] } } }, /^condition: failIfEventsMatch\[0\]/],
  [{ json: { events: [event("t"), { type: "t" }] } }, /^events\[1\]: payload is missing$/],
  [{ json: { events: [{ type: "t", payload: null }] } }, /^events\[0\]: payload must be a string, not null$/],
  [{ json: { events: [event("t", "", { a: ["x", "x"] })] } }, /^events\[0\]: /],
  [{ json: { events: [event("t", "", { a: [] })] } }, /^events\[0\]: /],
];
Deno.test("POST /events with a malformed body: 400 that names the fault, and nothing is appended", async () => {
  for (const [options, message] of malformed) {
    const transaction = await begin(client);
    assertRejected(await transaction.call("POST", "/events", options), 400, "InvalidRequest", message);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
  }
  assert.deepEqual((await client.queryEvents()).events, []);
});
