import type { Exchange } from "../exchange.ts";
import {
  COURSE_DEFINED,
  COURSE_QUERY,
  ENROLLED,
  STORE,
  TIME_1,
  TIME_2,
  VERSION_1,
  VERSION_2,
} from "./names.ts";
import { readExchanges } from "./reads.ts";
import { SUBJECT_EXCHANGES } from "./subjects.ts";
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

const NEW_COURSE = {
  conditions: [{ failIfEventsMatch: [{ types: ["CourseDefined"], ...COURSE_QUERY[0] }] }],
  events: [COURSE_DEFINED],
};

const IN_STORE = { "X-Service-Store": STORE };

const WRITES: readonly Exchange[] = [
  {
    operation: "POST /write",
    name: "defineCourse",
    summary: "Define a course, provided that it does not exist yet",
    request: NEW_COURSE,
    status: 200,
    answerHeaders: IN_STORE,
    json: { events: [{ sequence: 1, time: TIME_1 }], projections: { create: [], replace: [] } },
  },
  {
    operation: "POST /write",
    name: "defineCourseAgain",
    summary: "The same once more: the condition does not hold any longer",
    request: NEW_COURSE,
    status: 409,
    json: {
      error: "ConcurrencyException",
      message: "conditions[0] no longer holds",
      conflict: { condition: 0, sequence: 1 },
    },
  },
  conflictsExchange({
    cause: "eventMatches",
    query: NEW_COURSE.conditions[0]!.failIfEventsMatch,
    afterSequence: 0,
    sequence: 1,
  }, "CourseDefined"),
  {
    operation: "POST /write",
    name: "enrol",
    summary: "Enrol two students on what was read up to event 1, and write a projection",
    request: {
      conditions: [{ failIfEventsMatch: COURSE_QUERY, afterSequence: 1, store: STORE }],
      events: [ENROLLED],
      projections: { create: [{ type: "course", id: "c1", payload: '{"free":28}' }] },
    },
    status: 200,
    answerHeaders: IN_STORE,
    json: {
      events: [{ sequence: 2, time: TIME_2 }],
      projections: { create: [{ version: VERSION_1 }], replace: [] },
    },
  },
  {
    operation: "POST /write",
    name: "replaceProjection",
    summary: "Replace a projection at the version that was read",
    request: {
      projections: { replace: [{ type: "course", id: "c1", version: VERSION_1, payload: '{"free":27}' }] },
    },
    status: 200,
    answerHeaders: IN_STORE,
    json: { events: [], projections: { create: [], replace: [{ version: VERSION_2 }] } },
  },
  {
    operation: "POST /write",
    name: "staleVersion",
    summary: "Delete a projection at a version that it no longer has",
    request: { projections: { delete: [{ type: "course", id: "c1", version: VERSION_1 }] } },
    status: 409,
    json: {
      error: "ConcurrencyException",
      message: "projections.delete[0] no longer has the given version",
      conflict: { list: "delete", item: 0 },
    },
  },
  {
    operation: "POST /write",
    name: "payloadMissing",
    summary: "An event without a payload",
    request: { events: [{ type: "CourseDefined" }] },
    status: 400,
    json: { error: "InvalidRequest", message: "events[0]: payload is missing" },
  },
];

const AFTER_WRITES: readonly Exchange[] = [
  {
    operation: "GET /projections/{type}/{id}",
    name: "course",
    summary: "The projection as it was written",
    path: { type: "course", id: "c1" },
    status: 200,
    answerHeaders: { ...IN_STORE, "X-Service-Version": VERSION_2 },
    text: '{"free":27}',
  },
  {
    operation: "GET /projections",
    name: "list",
    summary: "Every projection",
    status: 200,
    answerHeaders: IN_STORE,
    lines: [{ type: "course", id: "c1", version: VERSION_2, bytes: 19 }, { hasMore: false }],
  },
  {
    operation: "DELETE /projections/{type}",
    name: "deleteCourses",
    summary: "Delete the projections of one type",
    path: { type: "course" },
    status: 204,
  },
  {
    operation: "GET /projections/{type}/{id}",
    name: "noCourse",
    summary: "A projection that does not exist",
    path: { type: "course", id: "c1" },
    status: 404,
    answerHeaders: IN_STORE,
    json: { error: "ProjectionNotFound" },
  },
  {
    operation: "DELETE /projections",
    name: "deleteAll",
    summary: "Delete every projection",
    status: 204,
  },
  healthExchange({}),
  whoamiExchange("A"),
  rootExchange("A"),
  OPENAPI_EXCHANGE,
  METRICS_EXCHANGE,
  {
    operation: "GET /debug",
    name: "idle",
    summary: "A server at rest",
    status: 200,
    json: { time: TIME_2, write: IDLE_TURN, read: IDLE_READS },
  },
  { operation: "POST /reset", name: "reset", summary: "Empty the store", status: 204 },
];

export const EXCHANGES_A: readonly Exchange[] = [
  ...WRITES,
  ...readExchanges("*"),
  ...SUBJECT_EXCHANGES,
  ...AFTER_WRITES,
];
