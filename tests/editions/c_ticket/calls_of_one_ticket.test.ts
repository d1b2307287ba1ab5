import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { begin, debugDocument, event, sequencesOf } from "./client.ts";
import { callsBegun, onServer } from "./held_ticket.ts";
import { sideBySide } from "./side_by_side.ts";

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
