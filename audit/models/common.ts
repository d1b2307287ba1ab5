import assert from "node:assert/strict";
import fc from "fast-check";
import { parsePage } from "../../tests/support/client.ts";
import { assertPlainText, assertRejected, expectStatus } from "../../tests/support/replies.ts";
import { checkProjection } from "../../tests/editions/a_write/check_answers.ts";
import { PROJECTION_IDS, PROJECTION_TYPES, query } from "../../tests/editions/a_write/operations.ts";
import type { ReferenceStore, WireQuery } from "../../tests/editions/a_write/reference.ts";
import { INVALID, queryAt, type QueryEdge } from "./edges.ts";
import { PAGE_EVENTS_DEFAULT, PAGE_EVENTS_MAX } from "./limits.ts";
import type { System } from "./system.ts";
import type { WaitingReads } from "./waiting_reads.ts";

/* The commands that every edition has: reads of committed content, and stops and kills of the server. */

/** The expected behaviour of an edition, in memory. */
export interface Model {
  /** The committed content. */
  readonly store: ReferenceStore;
  readonly waitingReads: WaitingReads;
  /** The server was stopped or killed, and runs again: the content of its memory is lost. */
  lostMemory(isKilled: boolean): Promise<void>;
  /** Compares the server's own reports: health, metrics, debug. */
  look(system: System): Promise<void>;
  /** Ends all pending work at the end of a run, and pauses where the edition has a pause. */
  finish(system: System): Promise<void>;
}

/** Milliseconds between a request and the kill during it: most requests are answered within two. */
export const UNTIL_KILLED: fc.Arbitrary<number> = fc.constantFrom(0, 0, 1, 2, 4);

export type CommonDrawn =
  | {
    readonly kind: "read";
    readonly query: WireQuery;
    /** Distances from the head of the store. */
    readonly back: number;
    readonly before: number | undefined;
    readonly backwards: boolean;
    readonly limit: number | undefined;
  }
  | { readonly kind: "largeRead"; readonly edge: QueryEdge; readonly over: number }
  | { readonly kind: "get"; readonly type: string; readonly id: string }
  | { readonly kind: "wait"; readonly query: WireQuery; readonly back: number }
  | { readonly kind: "look" | "stop" | "kill" }
  | { readonly kind: "wrong"; readonly which: number };

export const over: fc.Arbitrary<number> = fc.constantFrom(0, 1);
export const projectionKey = {
  type: fc.constantFrom(...PROJECTION_TYPES),
  id: fc.constantFrom(...PROJECTION_IDS),
};

export const COMMON: readonly { readonly weight: number; readonly arbitrary: fc.Arbitrary<CommonDrawn> }[] = [
  {
    weight: 160,
    arbitrary: fc.record({
      kind: fc.constant("read"),
      query,
      back: fc.integer({ min: -1, max: 250 }),
      before: fc.option(fc.integer({ min: -1, max: 150 }), { nil: undefined }),
      backwards: fc.boolean(),
      limit: fc.constantFrom(undefined, 0, 1, 2, 5, PAGE_EVENTS_MAX, PAGE_EVENTS_MAX, PAGE_EVENTS_MAX + 1),
    }),
  },
  {
    weight: 24,
    arbitrary: fc.record({
      kind: fc.constant("largeRead"),
      edge: fc.constantFrom("items", "values"),
      over,
    }),
  },
  { weight: 60, arbitrary: fc.record({ kind: fc.constant("get"), ...projectionKey }) },
  {
    weight: 48,
    arbitrary: fc.record({ kind: fc.constant("wait"), query, back: fc.integer({ min: -1, max: 1 }) }),
  },
  { weight: 32, arbitrary: fc.constant({ kind: "look" }) },
  { weight: 16, arbitrary: fc.record({ kind: fc.constant("wrong"), which: fc.nat({ max: 20 }) }) },
  { weight: 1, arbitrary: fc.constant({ kind: "stop" }) },
  { weight: 1, arbitrary: fc.constant({ kind: "kill" }) },
];

/** Requests that no edition accepts, each with its status. */
const WRONG: readonly (readonly [method: string, path: string, body: string, status: number])[] = [
  ["GET", "/nothing", "", 404],
  ["GET", "/events/", "", 404],
  ["GET", "/projections/p", "", 405],
  ["OPTIONS", "/events", "", 405],
  ["POST", "/health", "", 405],
  ["GET", "/projections/%zz/1", "", 400],
  ["QUERY", "/events", "", 400],
  ["QUERY", "/events", "{}", 400],
  ["QUERY", "/events", '{"query":[]}', 400],
  ["QUERY", "/events", '{"query":[{}]}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}]} x', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"other":1}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"limit":1,"limit":1}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"afterSequence":-1}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"afterSequence":0.5}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"beforeSequence":0}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"waitSeconds":61}', 400],
  ["QUERY", "/events", '{"query":[{"types":["t"]}],"waitSeconds":1,"backwards":true}', 400],
];

export async function playCommon(model: Model, system: System, drawn: CommonDrawn): Promise<void> {
  const { store } = model;
  switch (drawn.kind) {
    case "read":
      return await read(store, system, drawn);
    case "largeRead": {
      system.tally.edges++;
      const query = queryAt(drawn.edge, drawn.over);
      const reply = await system.request("QUERY", "/events", { json: { query, limit: PAGE_EVENTS_MAX } });
      if (drawn.over === 1) return assertRejected(reply, INVALID.status, INVALID.error, /100/);
      const { events, hasMore } = parsePage(expectStatus(reply, 200));
      return assert.deepEqual({ events, hasMore }, store.page(query, { limit: PAGE_EVENTS_MAX }));
    }
    case "get":
      return await checkProjection(system, drawn, store);
    case "wait": {
      const afterSequence = Math.max(0, store.events.length - drawn.back);
      return await model.waitingReads.begin(system, store, drawn.query, afterSequence);
    }
    case "look":
      return await model.look(system);
    case "wrong":
      return await wrong(system, drawn.which);
    case "stop":
    case "kill":
      await stop(model, system, drawn.kind === "kill");
      return await compareEverything(store, system);
  }
}

/** Stops or kills the server and starts it again. */
export async function stop(model: Model, system: System, isKilled: boolean): Promise<void> {
  if (isKilled) await system.kill();
  else await system.restart();
  await (isKilled ? model.waitingReads.leave() : model.waitingReads.ended());
  await model.lostMemory(isKilled);
}

async function read(
  store: ReferenceStore,
  system: System,
  drawn: Extract<CommonDrawn, { kind: "read" }>,
): Promise<void> {
  const { query, backwards, limit } = drawn;
  const head = store.events.length;
  const afterSequence = Math.max(0, head - drawn.back);
  const beforeSequence = drawn.before === undefined ? undefined : Math.max(1, head - drawn.before);
  const json = { query: system.wire(query), afterSequence, beforeSequence, backwards, limit };
  const reply = await system.request("QUERY", "/events", { json });
  if (limit !== undefined && (limit < 1 || limit > PAGE_EVENTS_MAX)) {
    system.tally.edges++;
    return assertRejected(reply, INVALID.status, INVALID.error, /limit/);
  }
  const page = parsePage(expectStatus(reply, 200));
  const range = {
    afterSequence,
    backwards,
    limit: limit ?? PAGE_EVENTS_DEFAULT,
    ...beforeSequence === undefined ? {} : { beforeSequence },
  };
  assert.deepEqual({ events: page.events, hasMore: page.hasMore }, store.page(query, range));
  assert.equal(page.store, store.storeId);
  assert.equal(reply.headers.get("x-service-head"), String(head));
}

async function wrong(system: System, which: number): Promise<void> {
  const [method, path, body, status] = WRONG[which % WRONG.length]!;
  const reply = await system.request(method, path, { body });
  // The answer is plain text when no endpoint was found.
  if (method !== "QUERY") return assertPlainText(reply, status);
  assertRejected(reply, status, "InvalidRequest", /./);
}

/** Compares all committed content, as clients read it. */
export async function compareEverything(store: ReferenceStore, system: System): Promise<void> {
  assert.deepEqual(await system.client.allEvents(system.wire("*")), store.events);
  const known = PROJECTION_TYPES.flatMap((type) => PROJECTION_IDS.map((id) => ({ type, id })));
  for (const key of [...store.projectionKeys, ...known]) await checkProjection(system, key, store);
}
