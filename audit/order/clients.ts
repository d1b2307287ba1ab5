import { parsePage } from "../../tests/support/client.ts";
import type { Reply } from "../../tests/support/connection.ts";
import type { Session } from "../../tests/editions/b_tx/session.ts";
import { txLines } from "../../tests/editions/b_tx/client.ts";
import { AuditFailure } from "../report.ts";
import type { Random } from "../workload/random.ts";
import type { AskedQuery, Call, Condition, WriteCall } from "./history.ts";

/** Counts the moments at which calls begin and end, and numbers the calls. */
export class Moments {
  #moment = 0;
  #calls = 0;

  next(): number {
    return ++this.#moment;
  }

  nextCall(): number {
    return ++this.#calls;
  }
}

/** A client that reads, decides and writes, as the clients of its edition do. @returns its calls */
export type CallInto = (
  session: Session,
  random: Random,
  moments: Moments,
  common: Identifiers,
) => Promise<Call[]>;

/** Identifiers that all events of a client have. */
export type Identifiers = Readonly<Record<string, string>>;

type Made<T> = { readonly reply: T; readonly begun: number; readonly ended: number };

async function timed<T>(moments: Moments, call: () => Promise<T>): Promise<Made<T>> {
  const begun = moments.next();
  const reply = await call();
  return { reply, begun, ended: moments.next() };
}

function some(random: Random): AskedQuery {
  if (random.chance(0.15)) return "every";
  const identifiers = [{ name: "course", value: `c${random.below(3)}` }];
  if (random.chance(0.3)) identifiers.push({ name: "student", value: `s${random.below(3)}` });
  return [{ identifiers, ...random.chance(0.5) ? { types: [random.pick(["Enrolled", "Left"])] } : {} }];
}

function eventsOf(random: Random, call: number, common: Identifiers): object[] {
  return Array.from({ length: 1 + random.below(2) }, () => ({
    type: random.pick(["Enrolled", "Left"]),
    identifiers: { ...common, course: `c${random.below(3)}`, student: `s${random.below(3)}` },
    payload: String(call),
  }));
}

const onTheWire = (query: AskedQuery, every: "*" | "all"): unknown => query === "every" ? every : query;

/** Reads a page of committed events. */
async function read(
  session: Session,
  random: Random,
  moments: Moments,
  every: "*" | "all",
): Promise<Call & { kind: "read" }> {
  const query = some(random);
  const limit = random.pick([1, 5, 1000]);
  const isBackwards = random.chance(0.3);
  const json = { query: onTheWire(query, every), limit, ...isBackwards ? { backwards: true } : {} };
  const { reply, ...moment } = await timed(moments, () => session.request("QUERY", "/events", { json }));
  const page = parsePage(reply);
  if (page.hasMore === undefined) {
    throw new AuditFailure("a read", [`${reply.status} ${reply.text.slice(-300)}`]);
  }
  return {
    kind: "read",
    id: moments.nextCall(),
    ...moment,
    query,
    after: 0,
    limit,
    isBackwards,
    sequences: page.events.map(({ sequence }) => sequence),
    hasMore: page.hasMore,
    head: Number(reply.headers.get("x-service-head")),
  };
}

/** Reads from a rejection which condition no longer holds. */
function conflictIn(reply: Reply): WriteCall["outcome"] {
  const { conflict } = reply.json<
    { readonly conflict: { readonly condition: number; readonly sequence: number } }
  >();
  return { kind: "conflict", ...conflict };
}

function wrong(reply: Reply): never {
  throw new AuditFailure("a client was answered", [`${reply.status} ${reply.text}`]);
}

export async function callA(
  session: Session,
  random: Random,
  moments: Moments,
  common: Identifiers,
): Promise<Call[]> {
  const seen = await read(session, random, moments, "*");
  const id = moments.nextCall();
  const events = eventsOf(random, id, common);
  const conditions: Condition[] = [{ query: seen.query, after: lastKnown(random, seen.head!) }];
  if (random.chance(0.3)) conditions.push({ query: some(random), after: lastKnown(random, seen.head!) });
  const store = await storeOf(session);
  const json = {
    conditions: conditions.map((condition) => ({
      failIfEventsMatch: onTheWire(condition.query, "*"),
      afterSequence: "after" in condition ? condition.after : 0,
      store,
    })),
    events,
  };
  const { reply, ...moment } = await timed(moments, () => session.request("POST", "/write", { json }));
  return [seen, {
    kind: "write",
    id,
    ...moment,
    conditions,
    events: events.length,
    outcome: outcomeA(reply),
  }];
}

/** Mostly the head that was read, sometimes an earlier one, as if the client had read before. */
function lastKnown(random: Random, head: number): number {
  return random.chance(0.2) ? Math.max(0, head - random.below(5)) : head;
}

async function storeOf(session: Session): Promise<string | undefined> {
  const reply = await session.request("QUERY", "/events", { json: { query: "*", limit: 1 } });
  return reply.headers.get("x-service-store");
}

function outcomeA(reply: Reply): WriteCall["outcome"] {
  if (reply.status === 409) return conflictIn(reply);
  return reply.status === 200 ? { kind: "accepted", sequences: sequencesIn(reply) } : wrong(reply);
}

function sequencesIn(reply: Reply): number[] {
  return reply.json<{ events: { sequence: number }[] }>().events.map(({ sequence }) => sequence);
}

export async function callB(
  session: Session,
  random: Random,
  moments: Moments,
  common: Identifiers,
): Promise<Call[]> {
  const calls: Call[] = [await read(session, random, moments, "all")];
  const begun = await session.request("POST", "/tx");
  if (begun.status !== 200) wrong(begun);
  const path = `/tx/${begun.json<{ txId: string }>().txId}`;
  const id = moments.nextCall();
  const conditions: Condition[] = [];
  const events = eventsOf(random, id, common);
  for (let left = random.pick([1, 1, 2]); left > 0; left--) {
    const query = some(random);
    const json = { query: onTheWire(query, "all") };
    const { reply, ...moment } = await timed(
      moments,
      () => session.request("QUERY", `${path}/events`, { json }),
    );
    const found = txLines(reply).map(({ sequence }) => sequence!);
    conditions.push({ query, found });
    const page = { query, after: 0, limit: Infinity, isBackwards: false, sequences: found, hasMore: false };
    calls.push({ kind: "read", id: moments.nextCall(), ...moment, ...page, head: undefined });
    const written = await session.request("POST", `${path}/events`, {
      json: { events: left === 1 ? events : [] },
    });
    if (written.status !== 200) wrong(written);
  }
  const { reply, ...moment } = await timed(moments, () => session.request("POST", `${path}/commit`));
  const outcome: WriteCall["outcome"] = reply.status === 409
    ? conflictIn(reply)
    : reply.status === 204
    ? { kind: "accepted", sequences: undefined }
    : wrong(reply);
  calls.push({ kind: "write", id, ...moment, conditions, events: events.length, outcome });
  return calls;
}

export async function callC(
  session: Session,
  random: Random,
  moments: Moments,
  common: Identifiers,
): Promise<Call[]> {
  const seen = await read(session, random, moments, "*");
  const id = moments.nextCall();
  const events = eventsOf(random, id, common);
  const condition = { query: seen.query, after: lastKnown(random, seen.head!) };
  const { reply: outcome, ...moment } = await timed(
    moments,
    () => transact(session, random, condition, events),
  );
  return [seen, { kind: "write", id, ...moment, conditions: [condition], events: events.length, outcome }];
}

async function transact(
  session: Session,
  random: Random,
  { query, after }: { readonly query: AskedQuery; readonly after: number },
  events: readonly object[],
): Promise<WriteCall["outcome"]> {
  const begun = await session.request("POST", "/begin");
  if (begun.status !== 200) wrong(begun);
  const headers = { "X-Service-Ticket": begun.json<{ ticket: string }>().ticket };
  const condition = { failIfEventsMatch: onTheWire(query, "*"), afterSequence: after };
  const reply = await session.request("POST", "/events", { json: { events, condition }, headers });
  if (reply.status === 409) return conflictIn(reply);
  if (reply.status !== 200) wrong(reply);
  const isKept = random.chance(0.8);
  const end = await session.request("POST", isKept ? "/commit" : "/rollback", { headers });
  if (end.status !== 204) wrong(end);
  return isKept ? { kind: "accepted", sequences: sequencesIn(reply) } : { kind: "takenBack" };
}
