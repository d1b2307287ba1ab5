import assert from "node:assert/strict";
import { pause } from "../../support/eventually.ts";
import { assertNoContent, assertRejected, expectStatus } from "../../support/replies.ts";
import { sharedServer } from "../../support/server_process.ts";
import { WaitingRead } from "../../support/waiting_read.ts";
import { append, begin, editionB, event, statistics, txLines } from "./client.ts";

const server = sharedServer(editionB({ SERVICE_TX_IDLE_TIMEOUT: "30" }));
const client = server.client();
Deno.test.afterEach(async () => assert.equal((await statistics(client)).pause.openTransactions, 0));

Deno.test("own pending events that match follow the committed ones, with time and without sequence", async () => {
  await append(client, event("t", "committed", { a: "1" }), event("t", "other", { a: "2" }));
  const tx = await begin(client);
  txLines(await tx.read("none"));
  const own = { type: "t", identifiers: { a: ["1", "2"], b: ["x"] }, payload: "own" };
  const written = await tx.write(own, event("t", "own, not matching", { a: "3" }));
  const lines = await tx.decide([{ identifiers: [{ name: "a", value: "1" }] }]);
  const [first, second] = lines;
  assert.equal(lines.length, 2);
  assert.deepEqual([first?.sequence, first?.payload], [1, "committed"]);
  assert.deepEqual(second, {
    time: written.json<{ time: string }>().time,
    type: "t",
    identifiers: { a: ["1", "2"], b: "x" },
    metadata: {},
    payload: "own",
  });
  assert.deepEqual(await tx.decide("none"), []);
  assertNoContent(await tx.commit());
  const { events } = await client.queryEvents([{ identifiers: [{ name: "b", value: "x" }] }]);
  assert.deepEqual(events, [{ sequence: 3, ...second }], "committed as it was read");
});

Deno.test("a read in a transaction sees later commits of others, and never their pending events", async () => {
  const [a, b] = [await begin(client), await begin(client)];
  await a.decide("none", event("t", "a"));
  assert.deepEqual(await b.decide("all"), []);
  assertNoContent(await a.commit());
  assert.deepEqual((await b.decide("all")).map((line) => line.payload), ["a"]);
  assertNoContent(await b.abandon());
});

for (
  const [key, value] of Object.entries({ waitSeconds: 1, backwards: true, beforeSequence: 2, headAtLeast: 0 })
) {
  Deno.test(`400 for a read in a transaction that is given ${key}`, async () => {
    const tx = await begin(client);
    const reply = await tx.call("QUERY", "/events", { json: { query: "all", [key]: value } });
    assertRejected(reply, 400, "InvalidRequest", `${key} cannot be used inside a transaction`);
    expectStatus(await tx.abandon(), 204);
  });
}

Deno.test("a read outside waits for the commit of a transaction, not for its calls", async () => {
  using read = await WaitingRead.begin(client, "all");
  const tx = await begin(client);
  await tx.decide("none", event("t", "1"), event("t", "2"));
  await pause(50);
  assert.equal(read.isAnswered, false);
  expectStatus(await tx.commit(), 204);
  assert.deepEqual((await read.page).events.map(({ payload }) => payload), ["1", "2"]);
});
