import assert from "node:assert/strict";
import { join } from "node:path";
import { NoReply, type Reply } from "../../support/connection.ts";
import { eventually } from "../../support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { MEBIBYTE, smallDiskTest } from "../support/small_disk.ts";
import {
  append,
  begin,
  createProjection,
  ends,
  event,
  sequencesOf,
  startEditionC,
} from "../../editions/c_ticket/client.ts";

const FULL = /nothing was written: .*full/;

/** The reply, or undefined when the connection was closed and the outcome is unknown. */
async function replyOrNothing(reply: Promise<Reply>): Promise<Reply | undefined> {
  try {
    return await reply;
  } catch (error) {
    if (error instanceof NoReply) return undefined;
    throw error;
  }
}

smallDiskTest(
  "full disk: an append gets 507, its transaction is over, reads continue; with space again all is well",
  async (disk) => {
    await using server = await startEditionC({
      SERVICE_DATA_DIR: join(disk.path, "data"),
      // A busy machine takes long for large appends, and the test is not about deadlines.
      SERVICE_TRANSACTION_TIMEOUT: "300",
      SERVICE_MAX_TRANSACTION_DURATION: "300",
    });
    const client = server.client();
    await append(client, event("kept"));
    disk.fill(2 * MEBIBYTE);

    const large = Array.from({ length: 100 }, () => event("undone", "x".repeat(60_000)));
    for (let i = 0; i < 3; i++) {
      const transaction = await begin(client);
      expectStatus(await transaction.change({ create: [{ type: "undone", id: "1", payload: "" }] }), 200);
      assertRejected(await transaction.append(large), 507, "DiskFull", FULL);
      assertRejected(await transaction.commit(), 410, "TicketNotActive");
      assert.deepEqual((await client.queryEvents()).events.map(({ type }) => type), ["kept"]);
      assert.equal((await client.request("GET", "/projections/undone/1")).status, 404);
    }
    assert.equal((await ends(client))["error"], 3);
    // There was space for small appends all the time.
    await append(client, event("kept"));

    disk.free();
    disk.fill(0);
    let rejected = 0;
    for (let i = 0; i < 50 && rejected < 3; i++) {
      const beginning = await replyOrNothing(client.request("POST", "/begin"));
      if (beginning === undefined || beginning.status !== 200) {
        if (beginning !== undefined) assertRejected(beginning, 507, "DiskFull", /full/);
        rejected++;
        continue;
      }
      const ticket = { "X-Service-Ticket": beginning.json<{ ticket: string }>().ticket };
      const json = { events: Array(4).fill(event("maybe", "x".repeat(60_000))) };
      const appended = await client.request("POST", "/events", { headers: ticket, json });
      const last = appended.status === 200
        ? await replyOrNothing(client.request("POST", "/commit", { headers: ticket }))
        : appended;
      if (last?.status === 204) continue;
      if (last !== undefined) assertRejected(last, 507, "DiskFull", FULL);
      rejected++;
    }
    assert.equal(rejected, 3, "the disk became full");
    const events = (await client.queryEvents()).events;
    assert.equal((await client.request("GET", "/health")).status, 200);

    disk.free();
    await eventually(async () => void await createProjection(client, "p", crypto.randomUUID()));
    const transaction = await begin(client);
    const [sequence] = sequencesOf(await transaction.append([event("after")]));
    assertNoContent(await transaction.commit());
    await server.restart();
    const all = (await client.queryEvents()).events;
    assert.deepEqual(all.map((line) => line.sequence), Array.from({ length: all.length }, (_, i) => i + 1));
    assert.deepEqual([all.length, all.at(-1)?.sequence], [events.length + 1, sequence]);
    assert.deepEqual(all.slice(0, -1), events);
  },
);
