import assert from "node:assert/strict";
import type { Reply } from "../../support/connection.ts";
import { startServer } from "../../support/server_process.ts";

const RACERS = 64;
const ROUNDS = 20;

Deno.test("of 64 racers with the same condition exactly one wins, in each of 20 rounds", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  const store = await client.storeId();
  for (let round = 0; round < ROUNDS; round++) {
    const seat = { name: "seat", value: `seat ${round}` };
    const query = [{ types: ["taken"], identifiers: [seat] }];
    // Even rounds send a position, odd ones do not. The answer must not depend on it.
    const condition = round % 2 === 0
      ? { failIfEventsMatch: query, afterSequence: round, store }
      : { failIfEventsMatch: query };
    const attempts = Array.from({ length: RACERS }, (_, racer): Promise<Reply> =>
      client.write({
        events: [{ type: "taken", identifiers: { seat: seat.value }, payload: String(racer) }],
        conditions: [condition],
      }));
    const statuses = (await Promise.all(attempts)).map((reply) => reply.status);
    assert.equal(statuses.filter((status) => status === 200).length, 1, statuses.join());
    assert.equal(statuses.filter((status) => status === 409).length, RACERS - 1, statuses.join());
    const winner = statuses.indexOf(200);
    const taken = (await client.queryEvents(query)).events;
    assert.deepEqual(taken.map((event) => event.payload), [String(winner)]);
  }
  const sequences = (await client.queryEvents()).events.map((event) => event.sequence);
  assert.deepEqual(sequences, Array.from({ length: ROUNDS }, (_, i) => i + 1));
});

Deno.test("of 64 racers that create or replace one projection exactly one wins", async () => {
  await using server = await startServer({ listen: "unix" });
  const client = server.client();
  const race = async (changes: (racer: number) => unknown): Promise<number> => {
    const attempts = Array.from(
      { length: RACERS },
      (_, racer) => client.write({ projections: changes(racer) }),
    );
    const replies = await Promise.all(attempts);
    const winners = replies.flatMap((reply, racer) => reply.status === 200 ? [racer] : []);
    assert.equal(winners.length, 1);
    assert.equal(replies.filter((reply) => reply.status === 409).length, RACERS - 1);
    return winners[0] ?? -1;
  };
  let winner = await race((racer) => ({ create: [{ type: "t", id: "a", payload: String(racer) }] }));
  for (let round = 0; round < 5; round++) {
    const read = await client.request("GET", "/projections/t/a");
    assert.equal(read.text, String(winner));
    const version = read.headers.get("x-service-version");
    winner = await race((racer) => ({ replace: [{ type: "t", id: "a", version, payload: String(racer) }] }));
  }
});
