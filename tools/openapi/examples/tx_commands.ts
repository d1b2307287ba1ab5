import type { Exchange } from "../exchange.ts";
import type { Json, JsonObject } from "../json.ts";
import { COURSE_DEFINED, COURSE_QUERY, ENROLLED, LINE_1, TIME_1, TIME_2, TX } from "./names.ts";
import { conflictsExchange } from "./operational.ts";

const TX_1 = "2c5ea4c0-4067-4fe9-8bad-9b1deb4d3b7d";
const TX_2 = "f47ac10b-58cc-4372-a567-0e02b2c3d479";

type Part = Pick<Exchange, "name" | "summary">;

/** An exchange that begins a transaction. */
export function begin(name: string, txId: string, summary: string): Exchange {
  return { operation: "POST /tx", name, summary, status: 200, json: { txId } };
}

function read(txId: string, part: Part, query: Json, lines: readonly JsonObject[]): Exchange {
  return {
    operation: "QUERY /tx/{txId}/events",
    ...part,
    path: { txId },
    request: { query },
    status: 200,
    lines: [...lines, { end: true }],
  };
}

function write(txId: string, part: Part, events: readonly Json[], time: string): Exchange {
  return {
    operation: "POST /tx/{txId}/events",
    ...part,
    path: { txId },
    request: { events },
    status: 200,
    json: { time },
  };
}

function commit(txId: string, part: Part, answer: Pick<Exchange, "status" | "json">): Exchange {
  return { operation: "POST /tx/{txId}/commit", ...part, path: { txId }, ...answer };
}

/** A client defines a course and enrols students, while another client decides on the same events. */
export const COMMANDS: readonly Exchange[] = [
  begin("beginFirst", TX_1, "A command that defines a course"),
  read(TX_1, { name: "readNothing", summary: "There is no such course yet" }, COURSE_QUERY, []),
  write(TX_1, { name: "defineCourse", summary: "Define it" }, [COURSE_DEFINED], TIME_1),
  commit(TX_1, { name: "commitCourse", summary: "It is committed" }, { status: 204 }),
  begin("begin", TX, "A command that enrols students"),
  read(TX, { name: "readCourse", summary: "Everything about the course" }, COURSE_QUERY, [LINE_1]),
  begin("beginOther", TX_2, "A second transaction"),
  read(TX_2, { name: "readCourseToo", summary: "It reads the same" }, COURSE_QUERY, [LINE_1]),
  write(TX, { name: "enrol", summary: "Enrol two students" }, [ENROLLED], TIME_2),
  write(TX_2, { name: "decideNothing", summary: "Decide to write nothing" }, [], TIME_2),
  {
    operation: "POST /tx/{txId}/projections",
    name: "createInTransaction",
    summary: "Create a projection",
    path: { txId: TX },
    request: { create: [{ type: "course", id: "c1", payload: '{"free":28}' }] },
    status: 200,
    json: { time: TIME_2 },
  },
  {
    operation: "GET /tx/{txId}/projections/{type}/{id}",
    name: "ownProjection",
    summary: "The projection as this transaction left it",
    path: { txId: TX, type: "course", id: "c1" },
    status: 200,
    text: '{"free":28}',
  },
  {
    operation: "GET /tx/{txId}/projections/{type}/{id}",
    name: "noProjectionYet",
    summary: "Other clients do not see it before the commit",
    path: { txId: TX_2, type: "course", id: "c1" },
    status: 404,
    json: { error: "ProjectionNotFound" },
  },
  {
    operation: "POST /tx/{txId}/projections",
    name: "createElsewhere",
    summary: "Create another one, so that there is something to commit",
    path: { txId: TX_2 },
    request: { create: [{ type: "course", id: "c2", payload: "{}" }] },
    status: 200,
    json: { time: TIME_2 },
  },
  commit(TX, { name: "commit", summary: "What was read still holds" }, { status: 204 }),
  commit(TX_2, { name: "conflict", summary: "What was read no longer holds" }, {
    status: 409,
    json: {
      error: "ConcurrencyException",
      message: "conditions[0] no longer holds",
      conflict: { condition: 0, sequence: 2 },
    },
  }),
  conflictsExchange({ cause: "eventMatches", query: COURSE_QUERY, afterSequence: 1, sequence: 2 }, ""),
  commit(TX_2, { name: "over", summary: "The transaction is over" }, {
    status: 404,
    json: { error: "TransactionNotFound" },
  }),
];
