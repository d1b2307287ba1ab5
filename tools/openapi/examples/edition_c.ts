import type { Exchange } from "../exchange.ts";
import {
  COURSE_DEFINED,
  COURSE_QUERY,
  ENROLLED,
  LINE_1,
  LINE_2,
  STORE,
  TICKET,
  TIME_1,
  TIME_2,
  VERSION_1,
  VERSION_2,
} from "./names.ts";
import {
  conflictsExchange,
  healthExchange,
  IDLE_READS,
  IDLE_TURN,
  METRICS_EXCHANGE,
  OPENAPI_EXCHANGE,
  rootExchange,
  whoamiExchange,
} from "./operational.ts";
import { readExchanges } from "./reads.ts";
import { SUBJECT_EXCHANGES } from "./subjects.ts";

const TICKET_1 = "2c5ea4c0-4067-4fe9-8bad-9b1deb4d3b7d";
const TICKET_2 = "f47ac10b-58cc-4372-a567-0e02b2c3d479";
const TICKET_3 = "550e8400-e29b-41d4-a716-446655440000";

function begin(name: string, ticket: string, summary: string): Exchange {
  return { operation: "POST /begin", name, summary, status: 200, json: { ticket } };
}

function withTicket(ticket: string): Pick<Exchange, "headers"> {
  return { headers: { "X-Service-Ticket": ticket } };
}

function end(what: "commit" | "rollback", ticket: string, name: string, summary: string): Exchange {
  return { operation: `POST /${what}`, name, summary, ...withTicket(ticket), status: 204 };
}

const COMMANDS: readonly Exchange[] = [
  begin("beginFirst", TICKET_1, "A command that defines a course"),
  {
    operation: "POST /events",
    name: "defineCourse",
    summary: "Append an event, without a condition",
    ...withTicket(TICKET_1),
    request: { events: [COURSE_DEFINED] },
    status: 200,
    json: { events: [{ sequence: 1, time: TIME_1 }] },
  },
  end("commit", TICKET_1, "commitCourse", "Make it durable"),
  begin("begin", TICKET, "A command that enrols students, on what was read before up to event 1"),
  {
    operation: "POST /events",
    name: "enrol",
    summary: "Append, provided that nothing relevant came since",
    ...withTicket(TICKET),
    request: { events: [ENROLLED], condition: { failIfEventsMatch: COURSE_QUERY, afterSequence: 1 } },
    status: 200,
    json: { events: [{ sequence: 2, time: TIME_2 }] },
  },
  {
    operation: "QUERY /events",
    name: "readInside",
    summary: "With a ticket, the read sees what the transaction appended",
    ...withTicket(TICKET),
    request: { query: COURSE_QUERY },
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    lines: [LINE_1, LINE_2, { hasMore: false }],
  },
  {
    operation: "POST /projections",
    name: "createProjection",
    summary: "Create a projection",
    ...withTicket(TICKET),
    request: { create: [{ type: "course", id: "c1", payload: '{"free":28}' }] },
    status: 200,
    json: { create: [{ version: VERSION_1 }], replace: [] },
  },
  {
    operation: "GET /projections/{type}/{id}",
    name: "projectionInside",
    summary: "With a ticket, the read sees what the transaction wrote",
    ...withTicket(TICKET),
    path: { type: "course", id: "c1" },
    status: 200,
    answerHeaders: { "X-Service-Store": STORE, "X-Service-Version": VERSION_1 },
    text: '{"free":28}',
  },
  {
    operation: "GET /projections/{type}/{id}",
    name: "noProjectionYet",
    summary: "Other clients do not see it before the commit",
    path: { type: "course", id: "c1" },
    status: 404,
    answerHeaders: { "X-Service-Store": STORE },
    json: { error: "ProjectionNotFound" },
  },
  {
    operation: "POST /projections",
    name: "replaceProjection",
    summary: "Replace it at its version",
    ...withTicket(TICKET),
    request: { replace: [{ type: "course", id: "c1", version: VERSION_1, payload: '{"free":27}' }] },
    status: 200,
    json: { create: [], replace: [{ version: VERSION_2 }] },
  },
  end("commit", TICKET, "commit", "Make everything durable"),
  {
    operation: "POST /commit",
    name: "commitAgain",
    summary: "The transaction is over",
    ...withTicket(TICKET),
    status: 410,
    json: { error: "TicketNotActive" },
  },
  {
    operation: "POST /commit",
    name: "commitWithoutTicket",
    summary: "A call that requires a transaction, without one",
    status: 400,
    json: {
      error: "InvalidRequest",
      message: "X-Service-Ticket is missing: this call requires a transaction",
    },
  },
];

const REJECTED: readonly Exchange[] = [
  {
    operation: "GET /projections",
    name: "list",
    summary: "Every projection",
    status: 200,
    answerHeaders: { "X-Service-Store": STORE },
    lines: [{ type: "course", id: "c1", version: VERSION_2, bytes: 19 }, { hasMore: false }],
  },
  begin("beginTooLate", TICKET_2, "A decision that was overtaken"),
  {
    operation: "POST /events",
    name: "conflict",
    summary: "What was read no longer holds; the transaction is over",
    ...withTicket(TICKET_2),
    request: { events: [ENROLLED], condition: { failIfEventsMatch: COURSE_QUERY, afterSequence: 1 } },
    status: 409,
    json: { error: "ConcurrencyException", conflict: { condition: 0, sequence: 2 } },
  },
  conflictsExchange(
    { cause: "eventMatches", query: COURSE_QUERY, afterSequence: 1, sequence: 2 },
    "StudentEnrolled",
  ),
  begin("beginOther", TICKET_3, "A transaction that is rolled back"),
  end("rollback", TICKET_3, "rollback", "Leave nothing behind"),
  {
    operation: "POST /projections",
    name: "notPaused",
    summary: "Projections without a ticket, outside a pause",
    request: { delete: [{ type: "course", id: "c1", version: VERSION_2 }] },
    status: 409,
    json: { error: "NotPaused" },
  },
];

const READ_BY_TIME: Exchange = {
  operation: "QUERY /events",
  name: "byTime",
  summary: "The events of some years",
  request: { query: "*", time: { from: "2020-01-01T00:00:00+01:00", before: "2200-01-01T00:00:00Z" } },
  status: 200,
  answerHeaders: { "X-Service-Store": STORE, "X-Service-Head": "2" },
  lines: [LINE_1, LINE_2, { hasMore: false }],
};

const OPERATION: readonly Exchange[] = [
  {
    operation: "GET /debug",
    name: "idle",
    summary: "A server at rest",
    status: 200,
    json: { time: TIME_2, paused: null, write: IDLE_TURN, read: IDLE_READS },
  },
  whoamiExchange("C"),
  rootExchange("C"),
  OPENAPI_EXCHANGE,
  METRICS_EXCHANGE,
  { operation: "POST /pause", name: "pause", summary: "Give out no more tickets", status: 204 },
  {
    operation: "POST /begin",
    name: "beginInPause",
    summary: "No ticket during a pause",
    status: 503,
    json: { error: "Paused" },
  },
  healthExchange({ paused: true }),
  {
    operation: "DELETE /projections/{type}",
    name: "deleteCourses",
    summary: "Delete the projections of one type",
    path: { type: "course" },
    status: 204,
  },
  { operation: "DELETE /projections", name: "deleteAll", summary: "Delete every projection", status: 204 },
  { operation: "POST /resume", name: "resume", summary: "Give out tickets again", status: 204 },
  { operation: "POST /reset", name: "reset", summary: "Empty the store", status: 204 },
];

export const EXCHANGES_C: readonly Exchange[] = [
  ...COMMANDS,
  ...readExchanges("*"),
  READ_BY_TIME,
  ...SUBJECT_EXCHANGES,
  ...REJECTED,
  ...OPERATION,
];
