import { formatTimestamp, parseTimestamp } from "../../src/model/timestamp.ts";
import type { Query } from "../../src/model/query.ts";
import type { ReadRequest } from "../../src/model/read_request.ts";
import { tagsText } from "../../src/wire/tags.ts";
import { type ErrorBody, parsePage } from "../../tests/support/client.ts";
import type { Reply } from "../../tests/support/connection.ts";
import { expectStatus } from "../../tests/support/replies.ts";
import type { Session } from "../../tests/editions/b_tx/session.ts";
import type { EditionName } from "../../src/config/setting.ts";
import type { Population } from "./population.ts";

/*
 * The ways in which the editions answer queries, each as one line of text: the request to the server, and the answer
 * that the rule gives for the events in memory.
 */

export interface Way {
  readonly ask: (session: Session, read: ReadRequest) => Promise<string>;
  readonly expect: (population: Population, read: ReadRequest) => string;
}

/**
 * A read in a transaction of edition B has no limit. So only some of the queries that match many events are tried
 * there.
 */
const EVENTS_OF_A_TRANSACTION_MAX = 2000;

/** Appends the events of one call, in the syntax of each edition. @returns their times, in microseconds */
export async function append(
  edition: EditionName,
  session: Session,
  population: Population,
  kinds: readonly number[],
): Promise<number[]> {
  const events = kinds.map((kind) => {
    const { type, identifiers, metadata } = population.kinds[kind]!;
    return `{"type":${JSON.stringify(type)},"identifiers":${tagsText(identifiers)},` +
      `"metadata":${tagsText(metadata)},"payload":"${kind}"}`;
  });
  const body = `{"events":[${events.join(",")}]}`;
  if (edition === "A") return timesOf(expectStatus(await session.request("POST", "/write", { body }), 200));
  if (edition === "B") {
    const tx = await session.begin();
    expectStatus(await tx.read("none"), 200);
    const written = expectStatus(await tx.call("POST", "/events", { body }), 200);
    expectStatus(await tx.commit(), 204);
    const time = microsOf(written.json<{ time: string }>().time);
    return kinds.map(() => time);
  }
  return await withTicket(session, "commit", async (headers) => {
    return timesOf(expectStatus(await session.request("POST", "/events", { body, headers }), 200));
  });
}

/** `QUERY /events`. Editions A and C take the same queries. */
const page: Way = {
  ask: async (session, read) => pageText(await session.request("QUERY", "/events", bodyOf("A", read))),
  expect: (population, read) => expectedPage(population, read, population.head),
};

const pageOfB: Way = {
  ...page,
  ask: async (session, read) => pageText(await session.request("QUERY", "/events", bodyOf("B", read))),
};

/** A write with only a condition. */
const condition: Way = {
  async ask(session, { query, afterSequence }) {
    const store = (await session.request("QUERY", "/events", { json: { query: "*", limit: 1 } })).headers
      .get("x-service-store");
    const bounds = afterSequence === 0 ? {} : { afterSequence, store };
    const json = { conditions: [{ failIfEventsMatch: wireQuery("A", query), ...bounds }] };
    return conflictText(await session.request("POST", "/write", { json }));
  },
  expect: expectedConflict,
};

/** The condition of an append, which is rolled back. */
const conditionOfC: Way = {
  ask: (session, { query, afterSequence }) =>
    withTicket(session, "rollback", async (headers) => {
      const condition = {
        failIfEventsMatch: wireQuery("C", query),
        ...afterSequence === 0 ? {} : { afterSequence },
      };
      const json = { events: [{ type: "t", payload: "" }], condition };
      return conflictText(await session.request("POST", "/events", { json, headers }));
    }),
  expect: expectedConflict,
};

/** A page that is read with a ticket, on the connection that writes. Its body has no additional key. */
const pageWithTicket: Way = {
  ask: (session, read) =>
    withTicket(session, "rollback", async (headers) => {
      const { json } = bodyOf("C", documented(read));
      return pageText(await session.request("QUERY", "/events", { json, headers }));
    }),
  expect: (population, read) => expectedPage(population, documented(read), undefined),
};

/** All matching events, in a transaction of edition B. */
const transaction: Way = {
  async ask(session, { query }) {
    const tx = await session.begin();
    const lines = expectStatus(await tx.read(wireQuery("B", query)), 200).text.trimEnd().split("\n");
    expectStatus(await tx.abandon(), 204);
    return [...lines.slice(0, -1).map(eventText), lines.at(-1)].join(" ");
  },
  expect(population, { query }) {
    const { sequences } = population.page({ query, afterSequence: 0, limit: Infinity });
    return [...sequences.map((sequence) => knownText(population, sequence)), '{"end":true}'].join(" ");
  },
};

/** @param choice a number from 0 to below 1 */
export function wayOf(
  edition: EditionName,
  population: Population,
  { query }: ReadRequest,
  choice: number,
): readonly [name: string, way: Way] {
  if (edition === "A") return choice < 0.7 ? ["pages", page] : ["conditions", condition];
  if (edition === "C") {
    if (choice < 0.6) return ["pages", page];
    return choice < 0.8 ? ["inside", pageWithTicket] : ["conditions", conditionOfC];
  }
  if (choice < 0.7) return ["pages", pageOfB];
  const { hasMore } = population.page({ query, afterSequence: 0, limit: EVENTS_OF_A_TRANSACTION_MAX });
  return hasMore ? ["pages", pageOfB] : ["inside", transaction];
}

async function withTicket<T>(
  session: Session,
  end: "commit" | "rollback",
  use: (headers: Readonly<Record<string, string>>) => Promise<T>,
): Promise<T> {
  const begun = expectStatus(await session.request("POST", "/begin"), 200);
  const headers = { "X-Service-Ticket": begun.json<{ ticket: string }>().ticket };
  const result = await use(headers);
  const { status } = await session.request("POST", `/${end}`, { headers });
  // A rejected call has ended the transaction.
  if (status !== 204 && (status !== 410 || end === "commit")) throw new Error(`/${end}: ${status}`);
  return result;
}

function documented({ query, afterSequence, time, limit }: ReadRequest): ReadRequest {
  return { query, afterSequence, time, limit };
}

function bodyOf(edition: EditionName, read: ReadRequest): { readonly json: object } {
  const { query, afterSequence, beforeSequence, backwards, time, limit } = read;
  return {
    json: {
      query: wireQuery(edition, query),
      ...afterSequence === 0 ? {} : { afterSequence },
      ...beforeSequence === undefined ? {} : { beforeSequence },
      ...backwards === true ? { backwards } : {},
      ...time === undefined
        ? {}
        : { time: { from: moment(time.fromMicros), before: moment(time.beforeMicros) } },
      limit,
    },
  };
}

/** Undefined when there is no bound. */
function moment(micros: number): string | undefined {
  return Number.isFinite(micros) ? formatTimestamp(micros) : undefined;
}

function wireQuery(edition: EditionName, query: Query): unknown {
  if (typeof query !== "string") {
    // An empty list would be rejected.
    return query.map((item) =>
      Object.fromEntries(Object.entries(item).filter(([, list]) => list.length > 0))
    );
  }
  if (query === "every") return edition === "B" ? "all" : "*";
  return edition === "B" ? "none" : [{ types: ["of no event"] }];
}

function pageText(reply: Reply): string {
  const { events, hasMore } = parsePage(expectStatus(reply, 200));
  const head = reply.headers.get("x-service-head");
  return [...events.map((event) => eventText(JSON.stringify(event))), `more: ${hasMore}`, `head: ${head}`]
    .join(
      " ",
    );
}

/** @param head undefined when the answer does not report it */
function expectedPage(population: Population, read: ReadRequest, head: number | undefined): string {
  const { sequences, hasMore } = population.page(read);
  const events = sequences.map((sequence) => knownText(population, sequence));
  return [...events, `more: ${hasMore}`, `head: ${head}`].join(" ");
}

/** An event as its sequence and its kind. */
function eventText(line: string): string {
  const { sequence, payload } = JSON.parse(line) as { sequence: number; payload: string };
  return `${sequence}:${payload}`;
}

function knownText(population: Population, sequence: number): string {
  return `${sequence}:${population.kindOf(sequence)}`;
}

function conflictText(reply: Reply): string {
  if (reply.status === 200) return "holds";
  const { conflict } = expectStatus(reply, 409).json<ErrorBody>();
  return `conflict: ${JSON.stringify(conflict)}`;
}

function expectedConflict(population: Population, { query, afterSequence }: ReadRequest): string {
  // A position that the store has not reached belongs to another history.
  if (afterSequence > population.head && afterSequence < Number.MAX_SAFE_INTEGER) {
    return `conflict: ${JSON.stringify({ condition: 0 })}`;
  }
  const sequence = population.firstMatch(query, afterSequence);
  return sequence === undefined ? "holds" : `conflict: ${JSON.stringify({ condition: 0, sequence })}`;
}

function timesOf(reply: Reply): number[] {
  return reply.json<{ events: { time: string }[] }>().events.map(({ time }) => microsOf(time));
}

function microsOf(time: string): number {
  return Number(parseTimestamp(time)!);
}
