import assert from "node:assert/strict";
import type { Client, EventLine } from "../../support/client.ts";
import { eventually, pause } from "../../support/eventually.ts";
import { expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { event, startEditionB } from "./client.ts";
import { rounds } from "../../support/rounds.ts";
import { Session } from "./session.ts";

const CLIENTS = 8;
const ROUNDS = rounds(8, 100);
const EVENTS_PER_COMMIT = 3;

/** The outcomes of the commits, as their clients know them. Each commit wrote its own name. */
interface Outcomes {
  readonly committed: Set<string>;
  readonly rejected: Set<string>;
  /** Commits that were sent, and not answered when the server died. */
  readonly unknown: Set<string>;
}

/** Reads, writes and commits again and again until the server is gone. */
async function commitUntilGone(client: Client, name: string, outcomes: Outcomes): Promise<void> {
  for (let i = 0;; i++) {
    const commitName = `${name} ${i}`;
    try {
      using session = await Session.open(client);
      const tx = await session.begin();
      // Every third transaction has a condition on all events, so that others break it.
      await tx.decide(i % 3 === 2 ? "all" : "none", ...Array(EVENTS_PER_COMMIT).fill(event("t", commitName)));
      expectStatus(await tx.change({ create: [{ type: "t", id: commitName, payload: commitName }] }), 200);
      outcomes.unknown.add(commitName);
      const { status } = await tx.commit();
      outcomes.unknown.delete(commitName);
      if (status === 204) outcomes.committed.add(commitName);
      else outcomes.rejected.add(commitName);
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
    const page = await client.queryEvents("all", {
      afterSequence: events.at(-1)?.sequence ?? after,
      limit: 10_000,
    });
    events.push(...page.events);
    hasMore = page.hasMore ?? assert.fail("no trailer");
  }
  assert.deepEqual(events.map(({ sequence }) => sequence), events.map((_, i) => after + i + 1), "no gap");
  const found = Map.groupBy(events, ({ payload }) => payload);
  for (const [name, its] of found) {
    assert.equal(its.length, EVENTS_PER_COMMIT, `half a commit: ${name}`);
    assert.equal(its.at(-1)!.sequence - its[0]!.sequence, EVENTS_PER_COMMIT - 1, `torn apart: ${name}`);
    assert.ok(outcomes.committed.has(name) || outcomes.unknown.has(name), `${name} was never acknowledged`);
  }
  for (const name of outcomes.committed) assert.ok(found.has(name), `acknowledged and lost: ${name}`);
  // The projection of each other commit exists exactly when its events do.
  for (const name of [...outcomes.unknown, ...outcomes.rejected]) {
    const { status } = await client.request("GET", `/projections/t/${encodeURIComponent(name)}`);
    assert.equal(status, found.has(name) ? 200 : 404, `events and projection of ${name} differ`);
  }
  const last = [...outcomes.committed].at(-1)!;
  assert.equal((await client.request("GET", `/projections/t/${encodeURIComponent(last)}`)).text, last);
  return events.at(-1)?.sequence ?? after;
}

async function crashRound(server: ServerProcess, round: number, after: number): Promise<number> {
  const outcomes: Outcomes = { committed: new Set(), rejected: new Set(), unknown: new Set() };
  const writers = Array.from(
    { length: CLIENTS },
    (_, i) => commitUntilGone(server.client(), `${round}/${i}`, outcomes),
  );
  await eventually(() => assert.ok(outcomes.committed.size > CLIENTS, "the round is under load"), 20);
  await pause(13 * (round % 10));
  await server.kill();
  await Promise.all(writers);
  await server.start();
  return await assertWhole(server.client(), after, outcomes);
}

Deno.test(`after kill -9 under load, ${ROUNDS} rounds, acknowledged commits exist, others whole or not at all`, async () => {
  await using server = await startEditionB();
  let last = 0;
  for (let round = 0; round < ROUNDS; round++) last = await crashRound(server, round, last);
  await server.restart();
  const { events } = await server.client().queryEvents("all", { afterSequence: last - 1 });
  assert.deepEqual(events.map(({ sequence }) => sequence), [last]);
});
