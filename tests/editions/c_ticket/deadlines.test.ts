import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { assertPlainText, expectStatus } from "../../support/replies.ts";
import { begin, debugDocument, ends, event, sequencesOf } from "./client.ts";
import { assertExpired, hold, onServer, timed } from "./held_ticket.ts";
import { sideBySide } from "./side_by_side.ts";

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
