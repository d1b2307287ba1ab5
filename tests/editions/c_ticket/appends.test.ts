import { delay } from "../../../src/async/delay.ts";
import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { metrics } from "../../support/metrics.ts";
import { assertNoContent, assertRejected, expectStatus, TIMESTAMP } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { append, begin, type CallOptions, editionC, event, sequencesOf } from "./client.ts";

const server = sharedServer(editionC());
const client = server.client();

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

// `ticket_requests.test.ts` has every cause.
const malformed: readonly (readonly [options: CallOptions, message: RegExp])[] = [
  [{ json: {} }, /^events is missing$/],
  [{ body: '{"events":[]} x' }, /./],
  [{ json: { events: [], condition: { store: "s" } } }, /^condition: unknown key "store"$/],
  [{ json: { events: [event("t"), { type: "t" }] } }, /^events\[1\]: payload is missing$/],
];
Deno.test("POST /events with a malformed body: 400 that names the fault, and nothing is appended", async () => {
  for (const [options, message] of malformed) {
    const transaction = await begin(client);
    assertRejected(await transaction.call("POST", "/events", options), 400, "InvalidRequest", message);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
  }
  assert.deepEqual((await client.queryEvents()).events, []);
});
