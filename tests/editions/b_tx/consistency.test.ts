import assert from "node:assert/strict";
import type { Client, EventLine } from "../../support/client.ts";
import { expectStatus } from "../../support/replies.ts";
import type { ServerProcess } from "../../support/server_process.ts";
import { createProjection, event, startEditionB, type TxLine, txLines } from "./client.ts";
import { rounds } from "../../support/rounds.ts";
import { Session } from "./session.ts";

const CLIENTS = 16;
/** The number of rounds of each example. */
const ROUNDS = rounds(20, 200);

let server: ServerProcess;
let client: Client;
const sessions: Session[] = [];

Deno.test.beforeAll(async () => {
  server = await startEditionB();
  client = server.client();
  for (let i = 0; i < CLIENTS; i++) sessions.push(await Session.open(client));
});
Deno.test.afterAll(async () => {
  for (const session of sessions) session[Symbol.dispose]();
  await server[Symbol.asyncDispose]();
});

interface Item {
  readonly types: readonly string[];
  readonly identifiers: readonly { readonly name: string; readonly value: string }[];
}

/** A commit that was answered with 204: the sequences that each of its reads found, and the payload that it wrote. */
interface Accepted {
  readonly reads: readonly { readonly item: Item; readonly found: readonly number[] }[];
  readonly payload: string;
}

/** The decision of a command after its reads. It returns the event to write, or undefined. */
type Decide = (reads: readonly (readonly TxLine[])[], payload: string) => unknown;

/** Runs a command in new transactions until one of them commits. */
async function run(
  session: Session,
  items: readonly Item[],
  decide: Decide,
  accepted: Accepted[],
): Promise<void> {
  for (;;) {
    const tx = await session.begin();
    const found: TxLine[][] = [];
    const payload = crypto.randomUUID();
    let decision: unknown;
    for (const [i, item] of items.entries()) {
      found.push(txLines(await tx.read([item])));
      const isLast = i === items.length - 1;
      decision = isLast ? decide(found, payload) : undefined;
      expectStatus(await tx.write(...decision === undefined ? [] : [decision]), 200);
    }
    const { status } = await tx.commit();
    if (status === 409) continue;
    assert.equal(status, 204);
    const reads = items.map((item, i) => ({ item, found: found[i]!.map(({ sequence }) => sequence!) }));
    if (decision !== undefined) accepted.push({ reads, payload });
    return;
  }
}

function matchesItem({ types, identifiers }: Item, line: EventLine): boolean {
  return types.includes(line.type) &&
    identifiers.every(({ name, value }) => [line.identifiers[name]].flat().includes(value));
}

/**
 * Replays the log in sequence order. At its position in the log, each accepted commit must find the same events as
 * its reads did, as if it had run alone.
 */
async function assertSerial(accepted: readonly Accepted[]): Promise<void> {
  const events = await client.allEvents("all");
  const placeOf = new Map(events.map(({ payload }, place) => [payload, place]));
  assert.deepEqual(events.map(({ sequence }) => sequence), events.map((_, place) => place + 1));
  for (const { reads, payload } of accepted) {
    const place = placeOf.get(payload);
    assert.ok(place !== undefined, "an accepted commit is in the log");
    const before = events.slice(0, place);
    for (const { item, found } of reads) {
      const expected = before.filter((line) => matchesItem(item, line)).map(({ sequence }) => sequence);
      assert.deepEqual(found, expected, `the read of the commit at ${place + 1}`);
    }
  }
}

/** Runs one command for each of the clients at the same time. */
async function race(
  commandOf: (i: number) => { items: readonly Item[]; decide: Decide },
): Promise<Accepted[]> {
  const accepted: Accepted[] = [];
  await Promise.all(sessions.map((session, i) => {
    const { items, decide } = commandOf(i);
    return run(session, items, decide, accepted);
  }));
  return accepted;
}

const item = (types: readonly string[], name: string, value: string): Item => ({
  types,
  identifiers: [{ name, value }],
});

Deno.test(`a course never takes more students than its capacity, ${ROUNDS} rounds`, async () => {
  const accepted: Accepted[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const course = `c${round}`;
    const capacity = 1 + round % 3;
    const winners = await race((i) => ({
      items: [item(["StudentEnrolled"], "course", course)],
      decide([enrolled], payload) {
        if (enrolled!.length >= capacity) return undefined;
        return event("StudentEnrolled", payload, { course, student: `s${i}` });
      },
    }));
    assert.equal(winners.length, capacity);
    accepted.push(...winners);
  }
  await assertSerial(accepted);
  const enrolled = await client.allEvents([{ types: ["StudentEnrolled"] }]);
  assert.equal(enrolled.length, accepted.length, "nothing was written by what was not accepted");
});

Deno.test(`a username is given once, ${ROUNDS} rounds`, async () => {
  const accepted: Accepted[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const winners = await race((i) => {
      const username = `u${round} ${i % 2}`;
      return {
        items: [item(["UserRegistered"], "username", username)],
        decide([registered], payload) {
          return registered!.length > 0 ? undefined : event("UserRegistered", payload, { username });
        },
      };
    });
    assert.equal(winners.length, 2, "one for each of the two names");
    accepted.push(...winners);
  }
  await assertSerial(accepted);
  const registered = await client.allEvents([{ types: ["UserRegistered"] }]);
  assert.equal(registered.length, accepted.length);
});

Deno.test(`no write skew: of two on call one stays, ${ROUNDS} rounds`, async () => {
  const accepted: Accepted[] = [];
  for (let round = 0; round < ROUNDS; round++) {
    const doctors = [`a${round}`, `b${round}`];
    const winners = await race((i) => ({
      // The event written matches only one of the two reads.
      items: [
        item(["WentHome"], "doctor", doctors[i % 2]!),
        item(["WentHome"], "doctor", doctors[1 - i % 2]!),
      ],
      decide([own, other], payload) {
        if (own!.length > 0 || other!.length > 0) return undefined;
        return event("WentHome", payload, { doctor: doctors[i % 2]! });
      },
    }));
    assert.equal(winners.length, 1);
    accepted.push(...winners);
  }
  await assertSerial(accepted);
  assert.equal((await client.allEvents([{ types: ["WentHome"] }])).length, ROUNDS);
});

Deno.test("no update of a projection is lost, and each goes with its event", async () => {
  await createProjection(client, "counter", "all", "0");
  await Promise.all(sessions.map(async (session) => {
    for (let done = 0; done < 10;) {
      const tx = await session.begin();
      await tx.decide("none", event("Counted"));
      const count = Number((await tx.get("counter", "all")).text);
      expectStatus(
        await tx.change({ replace: [{ type: "counter", id: "all", payload: String(count + 1) }] }),
        200,
      );
      const { status } = await tx.commit();
      if (status === 204) done++;
      else assert.equal(status, 409);
    }
  }));
  assert.equal((await client.request("GET", "/projections/counter/all")).text, String(CLIENTS * 10));
  assert.equal((await client.allEvents([{ types: ["Counted"] }])).length, CLIENTS * 10);
});
