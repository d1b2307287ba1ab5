import assert from "node:assert/strict";
import type { Connection } from "../../support/connection.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { LONG_TYPE, makeAppendLong } from "../../support/long_statements.ts";
import { assertNoContent, assertRejected } from "../../support/replies.ts";
import { append, begin, debugDocument, ends, event, sequencesOf, WaitingBegin } from "./client.ts";
import { assertExpired, callsBegun, hold, onServer, timed } from "./held_ticket.ts";
import { sideBySide } from "./side_by_side.ts";

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
