import assert from "node:assert/strict";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import { serverOfFile } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import { begin, createProjection, editionC, event, sequencesOf, type Transaction } from "./client.ts";

const CLIENTS = 16;
/** The number of rounds of each example. */
const ROUNDS = rounds(8, 200);

const server = serverOfFile(editionC());
const client = server.client();

/** Runs a decision for each client at the same time. @returns the number of those that returned true */
async function race(run: (i: number) => Promise<boolean>): Promise<number> {
  const answers = await Promise.all(Array.from({ length: CLIENTS }, (_, i) => run(i)));
  return answers.filter((yes) => yes).length;
}

/** Appends events and commits. @returns true when the condition held */
async function decide(
  transaction: Transaction,
  events: readonly unknown[],
  condition?: unknown,
): Promise<boolean> {
  const reply = await transaction.append(events, condition);
  if (reply.status === 409) {
    assertRejected(reply, 409, "ConcurrencyException");
    assertRejected(await transaction.commit(), 410, "TicketNotActive");
    return false;
  }
  expectStatus(reply, 200);
  expectStatus(await transaction.commit(), 204);
  return true;
}

async function assertGapless(): Promise<void> {
  const events = await client.allEvents();
  assert.deepEqual(events.map(({ sequence }) => sequence), events.map((_, i) => i + 1));
}

Deno.test(`a course never takes more students than its capacity, ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const capacity = 1 + round % 3;
    const enrolled = [{ types: ["StudentEnrolled"], identifiers: [{ name: "course", value: `c${round}` }] }];
    const winners = await race(async (i) => {
      const transaction = await begin(client);
      // A read inside the transaction stays true until the commit, without any condition.
      if ((await transaction.read(enrolled)).events.length >= capacity) {
        expectStatus(await transaction.rollback(), 204);
        return false;
      }
      return await decide(transaction, [
        event("StudentEnrolled", "", { course: `c${round}`, student: String(i) }),
      ]);
    });
    assert.equal(winners, capacity);
    assert.equal((await client.queryEvents(enrolled)).events.length, capacity);
  }
  await assertGapless();
});

Deno.test(`a username is given once, decided on what was committed before the ticket, ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const winners = await race(async (i) => {
      const username = `u${round} ${i % 2}`;
      const query = [{ types: ["UserRegistered"], identifiers: [{ name: "username", value: username }] }];
      const { events } = await client.queryEvents(query);
      if (events.length > 0) return false;
      const condition = { failIfEventsMatch: query };
      return await decide(await begin(client), [event("UserRegistered", "", { username })], condition);
    });
    assert.equal(winners, 2, "one for each of the two names");
  }
  await assertGapless();
});

Deno.test(`no write skew: of two on call one stays, ${ROUNDS} rounds`, async () => {
  for (let round = 0; round < ROUNDS; round++) {
    const winners = await race(async (i) => {
      const ofDoctor = (name: string): unknown => [
        { types: ["WentHome"], identifiers: [{ name: "doctor", value: `${name}${round}` }] },
      ];
      const [own, other] = i % 2 === 0 ? ["a", "b"] : ["b", "a"];
      const transaction = await begin(client);
      for (const query of [ofDoctor(own!), ofDoctor(other!)]) {
        if ((await transaction.read(query)).events.length === 0) continue;
        expectStatus(await transaction.rollback(), 204);
        return false;
      }
      return await decide(transaction, [event("WentHome", "", { doctor: `${own}${round}` })]);
    });
    assert.equal(winners, 1);
  }
  await assertGapless();
});

Deno.test("a read without a ticket sees every transaction whole or not at all, while they run", async () => {
  const EVENTS_PER_COMMIT = 3;
  const COMMITS = rounds(4, 8);
  await createProjection(client, "progress", "all", "0");
  const query = [{ types: ["Step"] }];
  const before = (await client.allEvents()).length;
  let isOver = false;

  const write = async (i: number): Promise<boolean> => {
    for (let commits = 0; commits < COMMITS; commits++) {
      const transaction = await begin(client);
      const sequences: number[] = [];
      for (let step = 0; step < EVENTS_PER_COMMIT; step++) {
        sequences.push(...sequencesOf(await transaction.append([event("Step")])));
        // The transaction alone sees its own events already.
        assert.equal((await transaction.read(query)).events.at(-1)?.sequence, sequences.at(-1));
      }
      const version = (await transaction.get("progress", "all")).headers.get("x-service-version");
      const replace = [{ type: "progress", id: "all", version, payload: String(sequences.at(-1)! - before) }];
      expectStatus(await transaction.change({ replace }), 200);
      const isGivenUp = (i + commits) % 4 === 0;
      expectStatus(await (isGivenUp ? transaction.rollback() : transaction.commit()), 204);
    }
    return true;
  };
  const watch = async (): Promise<number> => {
    let looks = 0;
    for (let last = 0; !isOver; looks++) {
      const projected = Number((await client.request("GET", "/projections/progress/all")).text);
      const { length } = await client.allEvents(query);
      assert.equal(length % EVENTS_PER_COMMIT, 0, "part of a transaction was seen");
      assert.equal(projected % EVENTS_PER_COMMIT, 0);
      assert.ok(last <= projected && projected <= length, `${last}, ${projected}, ${length}`);
      last = length;
    }
    return looks;
  };
  const watching = [watch(), watch()];
  await race(write).finally(() => isOver = true);
  for (const looks of await Promise.all(watching)) assert.ok(looks > 10, `${looks} looks`);
  const { length } = await client.allEvents(query);
  assert.equal(length, CLIENTS * COMMITS * 3 / 4 * EVENTS_PER_COMMIT);
  assert.equal((await client.request("GET", "/projections/progress/all")).text, String(length));
  await assertGapless();
});
