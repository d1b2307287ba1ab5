import assert from "node:assert/strict";
import type { Client, EventLine } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { assertRejected, expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { rounds } from "../../support/rounds.ts";
import { begin, debugDocument, event, sequencesOf, startEditionC, Transaction } from "./client.ts";

const CLIENTS = 8;
const ROUNDS = rounds(8, 100);

/** The outcomes of the transactions, as their clients know them. Each transaction wrote its own name. */
interface Outcomes {
  readonly committed: Set<string>;
  /** Transactions whose commit was sent, and not answered when the server died. */
  readonly unknown: Set<string>;
  /** Transactions that have written, and were rolled back or have not sent their commit. */
  readonly lost: Set<string>;
  /** Transactions that have begun, and not ended. */
  readonly open: Set<string>;
  lastTicket: string;
}

/** Begins, writes in several calls and commits, again and again, until the server is gone. */
async function transactUntilGone(client: Client, name: string, outcomes: Outcomes): Promise<void> {
  for (let i = 0;; i++) {
    const own = `${name} ${i}`;
    try {
      const transaction = await begin(client);
      outcomes.lastTicket = transaction.ticket;
      outcomes.lost.add(own);
      outcomes.open.add(own);
      const [first] = sequencesOf(await transaction.append([event("t", own)]));
      expectStatus(await transaction.change({ create: [{ type: "t", id: own, payload: own }] }), 200);
      const rest = sequencesOf(await transaction.append([event("t", own), event("t", own)]));
      assert.deepEqual(rest, [first! + 1, first! + 2]);
      if (i % 4 === 3) {
        expectStatus(await transaction.rollback(), 204);
        outcomes.open.delete(own);
        continue;
      }
      outcomes.lost.delete(own);
      outcomes.unknown.add(own);
      expectStatus(await transaction.commit(), 204);
      outcomes.unknown.delete(own);
      outcomes.committed.add(own);
      outcomes.open.delete(own);
    } catch (error) {
      // Any error is fine when the server has died. While it runs, an error is a failure of the test.
      if (await isReachable(client)) throw error;
      return;
    }
  }
}

async function isReachable(client: Client): Promise<boolean> {
  return await client.request("GET", "/health").then(() => true, () => false);
}

/** @returns the highest sequence, after which the next round continues reading */
async function assertWhole(client: Client, after: number, outcomes: Outcomes): Promise<number> {
  const events: EventLine[] = [];
  for (let hasMore = true; hasMore;) {
    const afterSequence = events.at(-1)?.sequence ?? after;
    const page = await client.queryEvents("*", { afterSequence, limit: 10_000 });
    events.push(...page.events);
    hasMore = page.hasMore ?? assert.fail("no trailer");
  }
  assert.deepEqual(events.map(({ sequence }) => sequence), events.map((_, i) => after + i + 1), "no gap");
  const found = Map.groupBy(events, ({ payload }) => payload);
  for (const [name, its] of found) {
    assert.equal(its.length, 3, `half a transaction: ${name}`);
    assert.equal(its[2]!.sequence - its[0]!.sequence, 2, `torn apart: ${name}`);
    assert.ok(outcomes.committed.has(name) || outcomes.unknown.has(name), `never committed: ${name}`);
  }
  for (const name of outcomes.committed) assert.ok(found.has(name), `acknowledged and lost: ${name}`);
  // A projection exists exactly when its events do.
  for (const name of [...outcomes.unknown, ...outcomes.lost, ...[...outcomes.committed].slice(-CLIENTS)]) {
    const { status, text } = await client.request("GET", `/projections/t/${encodeURIComponent(name)}`);
    assert.equal(status, found.has(name) ? 200 : 404, `events and projection of ${name} differ`);
    if (status === 200) assert.equal(text, name);
  }
  return events.at(-1)?.sequence ?? after;
}

interface Round {
  readonly last: number;
  /** True when a transaction was open when the server died. */
  readonly cut: boolean;
}

async function crashRound(server: ServerProcess, round: number, after: number): Promise<Round> {
  const client = server.client();
  const outcomes: Outcomes = {
    committed: new Set(),
    unknown: new Set(),
    lost: new Set(),
    open: new Set(),
    lastTicket: "",
  };
  const running = Array.from(
    { length: CLIENTS },
    (_, i) => transactUntilGone(client, `${round}/${i}`, outcomes),
  );
  await eventually(() => assert.ok(outcomes.committed.size > CLIENTS, "the round is under load"), 20);
  await pause(Math.random() * 50);
  await server.kill();
  await Promise.all(running);
  await server.start();
  assert.equal((await debugDocument(client)).write.active, null);
  assertRejected(await new Transaction(client, outcomes.lastTicket).commit(), 410, "TicketNotActive");
  return { last: await assertWhole(client, after, outcomes), cut: outcomes.open.size > 0 };
}

Deno.test(`after kill -9 in the middle of transactions, ${ROUNDS} rounds, the committed transactions exist and nothing else`, async () => {
  await using server = await startEditionC();
  const client = server.client();
  let last = 0;
  let cut = 0;
  for (let round = 0; round < ROUNDS; round++) {
    const end = await crashRound(server, round, last);
    last = end.last;
    if (end.cut) cut++;
    // The next transaction uses the sequences of the lost one again.
    const transaction = await begin(client);
    assert.deepEqual(sequencesOf(await transaction.append([event("after")])), [last + 1]);
    expectStatus(await transaction.rollback(), 204);
  }
  assert.ok(cut > ROUNDS / 2, `in the middle of a transaction in ${cut} of ${ROUNDS} rounds`);
  await server.restart();
  const { events } = await client.queryEvents("*", { afterSequence: last - 1 });
  assert.deepEqual(events.map(({ sequence }) => sequence), [last]);
});
