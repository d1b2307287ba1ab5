import assert from "node:assert/strict";
import type { Client } from "../../support/client.ts";
import type { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { LONG_TYPE, makeAppendLong } from "../../support/long_statements.ts";
import { assertNoContent, assertPlainText, assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import {
  append,
  begin,
  debugDocument,
  ends,
  event,
  sequencesOf,
  startEditionC,
  type Transaction,
  waitForWaiting,
  WaitingBegin,
} from "./client.ts";
import { sideBySide } from "./side_by_side.ts";

/** The allowed delay of a deadline on a loaded machine. It is below the distance between the deadlines. */
const LATE_SECONDS_MAX = 0.9;

/** Timers count whole milliseconds. */
const EARLY_SECONDS_MAX = 0.002;

async function onServer(
  [timeout, ceiling]: readonly [timeout: number, ceiling: number],
  run: (client: Client, server: ServerProcess) => Promise<void>,
): Promise<void> {
  const env = {
    SERVICE_TRANSACTION_TIMEOUT: String(timeout),
    SERVICE_MAX_TRANSACTION_DURATION: String(ceiling),
  };
  await using server = await startEditionC(env);
  await run(server.client(), server);
}

/** The bounds of a moment by the clock of the test, in milliseconds. */
type Moment = readonly [notBefore: number, notAfter: number];

async function timed<T>(act: () => Promise<T>): Promise<{ readonly result: T; readonly at: Moment }> {
  const notBefore = performance.now();
  const result = await act();
  return { result, at: [notBefore, performance.now()] };
}

/** A transaction with one event, and a client that waits for its end. */
interface Held {
  readonly transaction: Transaction;
  /** The moment when its ticket was issued. */
  readonly ticketAt: Moment;
  /** The moment when its only call so far ended. */
  readonly callAt: Moment;
  readonly next: Promise<{ readonly transaction: Transaction; readonly at: number }>;
}

async function hold(client: Client): Promise<Held> {
  const { result: transaction, at: ticketAt } = await timed(() => begin(client));
  const waiting = await WaitingBegin.send(client);
  const next = waiting.ticket()
    .then((transaction) => ({ transaction, at: performance.now() }))
    .finally(() => waiting.connection.close());
  next.catch(() => {});
  const { result, at: callAt } = await timed(() => transaction.append([event("undone")]));
  sequencesOf(result);
  await waitForWaiting(client, 1);
  return { transaction, ticketAt, callAt, next };
}

/** Asserts the moment of the end, that the transaction wrote nothing, and that the log has one line about it. */
async function assertExpired(
  held: Held,
  [seconds, [notBefore, notAfter]]: readonly [seconds: number, after: Moment],
  server: ServerProcess,
  why: "transactionTimeout" | "maxTransactionDuration",
): Promise<void> {
  const { transaction: next, at } = await held.next;
  const [atMost, atLeast] = [(at - notBefore) / 1000, (at - notAfter) / 1000];
  assert.ok(atMost >= seconds - EARLY_SECONDS_MAX, `after ${atMost} s, before ${seconds} s`);
  assert.ok(atLeast <= seconds + LATE_SECONDS_MAX, `after ${atLeast} s, late for ${seconds} s`);
  assertRejected(await held.transaction.commit(), 410, "TicketNotActive");
  assert.deepEqual((await next.read([{ types: ["undone"] }])).events, []);
  assertNoContent(await next.rollback());
  assert.equal((await ends(server.client()))["expired"], 1);
  await server.waitForOutput((text) => text.includes("[WARNING]"));
  const warnings = server.stdout.split("\n").filter((line) => /\[(WARNING|ERROR)\]/.test(line));
  assert.equal(warnings.length, 1, server.stdout);
  assert.match(warnings[0]!, new RegExp(`: \\[WARNING\\] a transaction was rolled back: .*\\(${why}\\)$`));
  assert.equal(server.stdout.includes(held.transaction.ticket), false);
  assert.equal(server.stderr, "");
}

async function callsBegun(client: Client, count: number): Promise<void> {
  await eventually(async () => assert.equal((await debugDocument(client)).write.active?.calls, count));
}

sideBySide(
  "no call for transactionTimeout: expired, one warning line, the next one gets its ticket",
  async () => {
    await onServer([1, 3], async (client, server) => {
      const held = await hold(client);
      await assertExpired(held, [1, held.callAt], server, "transactionTimeout");
    });
  },
);

sideBySide("each successful call renews the timeout, a 404 too; none moves the ceiling", async () => {
  await onServer([2, 5], async (client, server) => {
    const held = await hold(client);
    const { transaction } = held;
    const moments = async (): Promise<[deadline: number, ceiling: number, since: number]> => {
      const { deadline, ceiling, since } = (await debugDocument(client)).write.active!;
      return [Date.parse(deadline), Date.parse(ceiling), Date.parse(since)];
    };
    let [last, ceiling, since] = await moments();
    assert.equal(ceiling - since, 5000);
    for (const call of ["append", "get", "read"] as const) {
      await pause(800);
      if (call === "append") expectStatus(await transaction.append([]), 200);
      if (call === "get") expectStatus(await transaction.get("p", "absent"), 404);
      if (call === "read") expectStatus((await transaction.read()).reply, 200);
      const [deadline, ...fixed] = await moments();
      assert.ok(deadline >= Math.min(last + 790, ceiling), `${call} renewed nothing`);
      assert.deepEqual(fixed, [ceiling, since]);
      last = deadline;
    }
    while (Date.now() < ceiling - 100) await transaction.append([]);
    assert.equal((await moments())[0], ceiling, "no deadline lies beyond the ceiling");
    await assertExpired(held, [5, held.ticketAt], server, "maxTransactionDuration");
  });
});

sideBySide("requests that are no call of the transaction renew nothing", async () => {
  await onServer([1, 5], async (client, server) => {
    const held = await hold(client);
    const over = held.next.then(() => true);
    while (!await Promise.race([over, pause(50)])) {
      assertPlainText(await held.transaction.call("POST", "/unknown"), 404);
      assertPlainText(await held.transaction.call("GET", "/commit"), 405);
      expectStatus(await held.transaction.call("GET", "/health"), 200);
      expectStatus(await client.request("QUERY", "/events", { json: { query: "*" } }), 200);
    }
    await assertExpired(held, [1, held.callAt], server, "transactionTimeout");
  });
});

sideBySide("the timeout counts from the end of a call: a slow body is no idle time", async () => {
  await onServer([2, 10], async (client, server) => {
    const held = await hold(client);
    const bytes = held.transaction.bytesOf("POST", "/events", { json: { events: [event("undone")] } });
    using call = await client.begin("GET", "/health");
    await call.readReply("GET");
    await call.send(bytes.slice(0, -5));
    await pause(2700);
    const { result, at } = await timed(async () => {
      await call.send(bytes.slice(-5));
      return await call.readReply("POST");
    });
    assert.deepEqual(sequencesOf(result), [2]);
    await assertExpired(held, [2, at], server, "transactionTimeout");
  });
});

async function assertCutAtCeiling(drip: (call: Connection) => Promise<void>): Promise<void> {
  await onServer([1, 3], async (client, server) => {
    const held = await hold(client);
    using call = await held.transaction.start("POST", "/events", { headers: { "content-length": "1000" } });
    await call.send('{"events":[');
    await callsBegun(client, 2);
    const dripping = drip(call).catch(() => {});
    await eventually(async () => {
      const { write } = await debugDocument(client);
      assert.equal(write.active?.deadline, write.active?.ceiling, "while a call runs");
      assert.equal(write.httpOpen, 2, "the call and the one that waits");
    });
    await held.next;
    // The server issued the next ticket before it answered this client.
    assertRejected(await call.readReply("POST"), 410, "TicketNotActive");
    call.close();
    await dripping;
    await assertExpired(held, [3, held.ticketAt], server, "maxTransactionDuration");
  });
}

sideBySide(
  "a half-sent body: the idle timeout does not cut it, the ceiling does, the client gets 410",
  async () => {
    await assertCutAtCeiling(() => Promise.resolve());
  },
);

sideBySide("a body that continues byte by byte is cut by the ceiling too", async () => {
  await assertCutAtCeiling(async (call) => {
    for (let i = 0; i < 60; i++) {
      await call.send(" ");
      await pause(75);
    }
  });
});

sideBySide("a slow reader of a page with a ticket: rolled back at the ceiling, no trailer", async () => {
  await onServer([1, 3], async (client, server) => {
    // In small appends: a large one may take longer than these deadlines allow.
    const events = Array.from({ length: 10 }, () => event("t", "x".repeat(60_000)));
    for (let i = 0; i < 20; i++) await append(client, ...events);
    const held = await hold(client);
    using reading = await held.transaction.start("QUERY", "/events", { json: { query: "*" } });
    const head = await reading.readHead();
    assert.equal(head.status, 200);
    assert.equal((await debugDocument(client)).write.httpOpen, 2);
    await held.next;
    const page = await reading.readRest(head);
    assert.equal(page.cutShort, true);
    assert.equal(page.text.includes("hasMore"), false);
    assert.ok(page.text.startsWith('{"sequence":1,'));
    assert.equal(await reading.atEnd(), true);
    await assertExpired(held, [3, held.ticketAt], server, "maxTransactionDuration");
  });
});

sideBySide("an unread page with a ticket keeps no other client waiting beyond the ceiling", async () => {
  await onServer([1, 3], async (client) => {
    // In small appends: a large one may take longer than these deadlines allow.
    const events = Array.from({ length: 10 }, () => event("t", "x".repeat(60_000)));
    for (let i = 0; i < 20; i++) await append(client, ...events);
    const held = await hold(client);
    using reading = await held.transaction.start("QUERY", "/events", { json: { query: "*" } });
    await reading.readHead();
    const second = held.transaction.get("t", "a");
    const reset = client.request("POST", "/reset");
    await callsBegun(client, 3);
    await held.next;
    const over = performance.now();
    assertRejected(await second, 410, "TicketNotActive");
    assertNoContent(await reset);
    const seconds = (performance.now() - over) / 1000;
    assert.ok(seconds < 2, `answered ${seconds} s after the ceiling`);
  });
});

sideBySide("a call in the database at the ceiling is finished and answered, then rolled back", async () => {
  await onServer([1, 1], async (client, server) => {
    makeAppendLong(server.dataDir, 1.3);
    const { result: transaction, at } = await timed(() => begin(client));
    using next = await WaitingBegin.send(client);
    const appending = transaction.append([event(LONG_TYPE)]);
    const successor = await next.ticket();
    const seconds = (performance.now() - at[1]) / 1000;
    assert.ok(seconds > 1.1, `the append was done after ${seconds} s`);
    assert.deepEqual(sequencesOf(await appending), [1]);
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
    assert.deepEqual((await successor.read("*")).events, []);
    assertNoContent(await successor.rollback());
    assert.equal((await ends(client))["expired"], 1);
    assert.equal(server.stdout.match(/\[WARNING\]/g)?.length, 1);
  });
});

sideBySide("a commit that races with the expiry: 204 and all is there, or 410 and nothing is", async () => {
  await onServer([1, 3], async (client) => {
    const acknowledged: string[] = [];
    for (const milliseconds of [990, 996, 1002]) {
      const transaction = await begin(client);
      expectStatus(await transaction.append([event("t", String(milliseconds))]), 200);
      await pause(milliseconds);
      const { status } = await transaction.commit();
      assert.ok(status === 204 || status === 410);
      if (status === 204) acknowledged.push(String(milliseconds));
    }
    assert.deepEqual((await client.queryEvents()).events.map(({ payload }) => payload), acknowledged);
    const { committed, expired } = await ends(client);
    assert.deepEqual([committed, expired], [acknowledged.length, 3 - acknowledged.length]);
  });
});

sideBySide("two calls on one ticket run one after the other, in order of arrival", async () => {
  await onServer([5, 15], async (client) => {
    const transaction = await begin(client);
    using first = await transaction.start("POST", "/events", { headers: { "content-length": "24" } });
    await first.send('{"events":[');
    await callsBegun(client, 1);
    const order: string[] = [];
    const second = transaction.append([event("second")]).finally(() => order.push("second"));
    await callsBegun(client, 2);
    const third = transaction.read().finally(() => order.push("third"));
    await callsBegun(client, 3);
    assert.equal((await debugDocument(client)).write.httpOpen, 3);
    await pause(50);
    assert.deepEqual(order, []);
    await first.send("]           }");
    assert.deepEqual(sequencesOf(await first.readReply("POST")), []);
    assert.deepEqual(sequencesOf(await second), [1]);
    assert.deepEqual((await third).events.map(({ type }) => type), ["second"]);
    assert.deepEqual(order, ["second", "third"]);
    assertNoContent(await transaction.rollback());
  });
});

sideBySide("a call that waits for another one gets 410 when that one ends the transaction", async () => {
  await onServer([5, 15], async (client) => {
    for (
      const [end, body, status] of [["commit", "", 204], ["rollback", "", 204], [
        "events",
        "{}",
        400,
      ]] as const
    ) {
      const transaction = await begin(client);
      const headers = { "content-length": String(body.length + 1) };
      using first = await transaction.start("POST", `/${end}`, { headers });
      await callsBegun(client, 1);
      const second = transaction.append([event("lost")]);
      await callsBegun(client, 2);
      await first.send(`${body} `);
      expectStatus(await first.readReply("POST"), status);
      assertRejected(await second, 410, "TicketNotActive");
    }
    assert.deepEqual((await client.queryEvents()).events, []);
  });
});
