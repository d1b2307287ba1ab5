import { projectionPath } from "../../support/client.ts";
import { mustBe } from "../contract/edition.ts";
import { type Pair, type Tickets, ticketsOf } from "./pair.ts";
import type { Side } from "./side.ts";

type Step = (pair: Pair) => Promise<void>;

async function readEvents(pair: Pair, ticket?: Tickets, target = "/events"): Promise<void> {
  const { random, edition } = pair;
  const [query, after, before] = [random.query(), pair.position(), pair.position()];
  const limit = random.one([undefined, 1, 2, 5]);
  const isPlain = ticket !== undefined;
  const hasBefore = !isPlain && random.isLucky(4);
  const backwards = !isPlain && random.isLucky(4);
  const times = edition.name === "C" && pair.alone.count > 0 && random.isLucky(4)
    ? 1 + random.below(pair.alone.count)
    : undefined;
  await pair.same("QUERY", target, (side) => ({
    query,
    ...target !== "/events" ? {} : {
      afterSequence: after(side),
      ...limit === undefined ? {} : { limit },
      ...hasBefore ? { beforeSequence: before(side) + 1 } : {},
      ...backwards ? { backwards } : {},
      ...times === undefined ? {} : { time: { from: side.timeOf(times) } },
    },
  }), ticket);
}

/** A read waits. An event of others that it asks for must not end the wait. */
async function waitForEvent(pair: Pair): Promise<void> {
  const { edition, random } = pair;
  const body = (side: Side): unknown => ({
    query: edition.every,
    afterSequence: side.after(side.count, 9),
    waitSeconds: 20,
  });
  await pair.sameAfterWaiting(body, async () => {
    await pair.others();
    await pair.others();
    const events = random.events("t1");
    for (const side of [pair.shared, pair.alone]) {
      mustBe(200, await edition.sendEvents(side.own, JSON.stringify({ events })));
    }
  });
}

async function findPosition(pair: Pair): Promise<void> {
  if (pair.alone.count === 0) return;
  const rank = 1 + pair.random.below(pair.alone.count);
  const isLater = pair.random.isLucky(4);
  const target = (side: Side): string =>
    `/position?time=${isLater ? "2099-01-01T00:00:00Z" : side.timeOf(rank)}`;
  await pair.same("GET", target);
}

async function listProjections(pair: Pair): Promise<void> {
  const { random } = pair;
  const { type, id } = random.key();
  const after = random.one(["", `&after=${encodeURIComponent(id)}`]);
  const whole = random.one(["", `&after=${encodeURIComponent(`${type}/${encodeURIComponent(id)}`)}`]);
  const limit = random.one(["limit=1000", "limit=1", "limit=2"]);
  await pair.same("GET", `/projections?${limit}${random.one([`&type=${type}${after}`, whole])}`);
}

async function readProjection(pair: Pair, ticket?: Tickets, prefix = ""): Promise<void> {
  const { type, id } = pair.random.key();
  await pair.same("GET", `${prefix}${projectionPath(type, id)}`, undefined, ticket);
}

const catalog: Step = async (pair) => void await pair.same("GET", "/catalog");

/** The reads of every edition. */
const READS: readonly Step[] = [
  (pair) => readEvents(pair),
  (pair) => readEvents(pair),
  waitForEvent,
  findPosition,
  listProjections,
  (pair) => readProjection(pair),
  catalog,
];

async function writeA(pair: Pair): Promise<void> {
  const { random } = pair;
  const store = new Map([[pair.shared, await pair.shared.storeId()], [
    pair.alone,
    await pair.alone.storeId(),
  ]]);
  const conditions = Array.from(
    { length: random.below(3) },
    () => ({ query: random.query(), after: pair.position() }),
  );
  const [events, changes] = [random.isLucky(4) ? [] : random.events("t1"), pair.changes(true)];
  const changesSome = random.isLucky(2);
  await pair.same("POST", "/write", (side) => ({
    conditions: conditions.map(({ query, after }) => ({
      failIfEventsMatch: query,
      afterSequence: after(side),
      store: store.get(side),
    })),
    events,
    ...changesSome ? { projections: changes(side) } : {},
  }));
}

async function transactionB(pair: Pair): Promise<void> {
  const { random } = pair;
  const tx = ticketsOf(pair, await pair.same("POST", "/tx"), "txId");
  const rounds = 1 + random.below(3);
  for (let i = 0; i < rounds; i++) {
    const call = random.below(3);
    if (call === 0) {
      await readEvents(pair, tx, "/tx/{tx}/events");
      if (random.isLucky(3)) await pair.others();
      const events = random.isLucky(4) ? [] : random.events("t1");
      await pair.same("POST", "/tx/{tx}/events", () => ({ events }), tx);
    } else if (call === 1) await readProjection(pair, tx, "/tx/{tx}");
    else await pair.same("POST", "/tx/{tx}/projections", pair.changes(false), tx);
  }
  if (random.isLucky(3)) await pair.others();
  await pair.same("POST", "/tx/{tx}/commit", undefined, tx);
}

async function changeB(pair: Pair): Promise<void> {
  await pair.same("POST", "/projections", pair.changes(true));
}

async function ticketC(pair: Pair): Promise<void> {
  const { random } = pair;
  const ticket = ticketsOf(pair, await pair.same("POST", "/begin"), "ticket");
  const rounds = 1 + random.below(4);
  for (let i = 0; i < rounds; i++) {
    const call = random.below(4);
    const [query, after, events] = [random.query(), pair.position(), random.events("t1")];
    const hasCondition = random.isLucky(2);
    if (call === 0) await readEvents(pair, ticket);
    else if (call === 1) {
      await pair.same("POST", "/events", (side) => ({
        events,
        ...hasCondition ? { condition: { failIfEventsMatch: query, afterSequence: after(side) } } : {},
      }), ticket);
    } else if (call === 2) await readProjection(pair, ticket);
    else await pair.same("POST", "/projections", pair.changes(true), ticket);
  }
  await pair.same("POST", random.one(["/commit", "/commit", "/rollback"]), undefined, ticket);
}

/** Writes projections without a ticket, which only a pause allows. */
async function changeInPauseC(pair: Pair): Promise<void> {
  await pair.onBoth((side) => side.all.request("POST", "/pause"));
  await pair.same("POST", "/projections", pair.changes(true));
  await pair.onBoth((side) => side.all.request("POST", "/resume"));
}

/** Sends events, some of which are of others, with the token of a tenant. */
const rejected: Step = (pair) =>
  pair.rejectsForeign((events) => pair.edition.sendEvents(pair.shared.own, JSON.stringify({ events })));

export const STEPS: Readonly<Record<"A" | "B" | "C", readonly Step[]>> = {
  A: [...READS, writeA, writeA, writeA, rejected],
  B: [...READS, transactionB, transactionB, transactionB, changeB, rejected],
  C: [...READS, ticketC, ticketC, ticketC, changeInPauseC, rejected],
};
