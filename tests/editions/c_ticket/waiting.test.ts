import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import { append, begin, editionC, event } from "./client.ts";

const server = sharedServer(editionC());
const client = server.client();

Deno.test("a read waits for the commit of a transaction, not for its calls, nor for a rolled-back one", async () => {
  using read = await WaitingRead.begin(client, "*");
  const undone = await begin(client);
  expectStatus(await undone.append([event("t", "undone")]), 200);
  expectStatus(await undone.rollback(), 204);
  const transaction = await begin(client);
  expectStatus(await transaction.append([event("t", "1"), event("t", "2")]), 200);
  expectStatus(await transaction.append([event("t", "3")]), 200);
  await pause(50);
  assert.equal(read.isAnswered, false);
  expectStatus(await transaction.commit(), 204);
  const { events, hasMore } = await read.page;
  assert.deepEqual([events.map(({ payload }) => payload), hasMore], [["1", "2", "3"], false]);
});

Deno.test("a read by time waits for an event of that time", async () => {
  const soon = new Date(Date.now() + 60_000).toISOString();
  using later = await WaitingRead.begin(client, "*", { time: { from: soon } });
  using sooner = await WaitingRead.begin(client, "*", { time: { before: soon } });
  await append(client, event("t", "1"));
  assert.deepEqual((await sooner.page).events.map(({ payload }) => payload), ["1"]);
  assert.equal(later.isAnswered, false);
});

for (
  const [key, value] of Object.entries({ waitSeconds: 1, backwards: true, beforeSequence: 2, headAtLeast: 0 })
) {
  Deno.test(`400 for a read with a ticket that is given ${key}`, async () => {
    const transaction = await begin(client);
    const { reply } = await transaction.read("*", { [key]: value });
    assertRejected(reply, 400, "InvalidRequest", `${key} cannot be used inside a transaction`);
  });
}
