import type { Exchange } from "../exchange.ts";
import { COURSE_QUERY, LINE_1, LINE_2, STORE, TIME_2 } from "./names.ts";

const HEADERS = { "X-Service-Store": STORE, "X-Service-Head": "2" };
const READ = { operation: "QUERY /events", status: 200, answerHeaders: HEADERS } as const;

const AFTER_CONFLICT: Exchange = {
  ...READ,
  name: "afterConflict",
  summary: "A page with event 2, which a conflict named: not from a replica that lacks it",
  request: { query: COURSE_QUERY, afterSequence: 1, headAtLeast: 2 },
  lines: [LINE_2, { hasMore: false }],
};

const POSITION: Exchange = {
  operation: "GET /position",
  name: "position",
  summary: "Before the first event since a time: before every event",
  query: { time: "2020-01-01T00:00:00Z" },
  status: 200,
  answerHeaders: { "X-Service-Store": STORE },
  json: { store: STORE, afterSequence: 0 },
};

const CATALOG: Exchange = {
  operation: "GET /catalog",
  name: "catalog",
  summary: "The counts of a store with two events",
  status: 200,
  answerHeaders: { "X-Service-Store": STORE },
  json: {
    store: STORE,
    afterSequence: 2,
    lastEventTime: TIME_2,
    types: [
      { type: "CourseDefined", count: 1, first: 1, last: 1 },
      { type: "StudentEnrolled", count: 1, first: 2, last: 2 },
    ],
    identifiers: [{ name: "course", count: 2 }, { name: "student", count: 1 }],
  },
};

const ROOT_1 = "9f86d081884c7d659a2feaa0c55ad015a3bf4f1b2b0b822cd15d6c15b0f00a08";
const ROOT_2 = "6fcf862c54cf516079bbadb6319778add031c4e2a678315c6adb4c3bd05f6fca";
const LEAF_2 = "f4daf1104b547f8940af9096794628fd7018b2535b5bc4d9382f91f3ca979ea6";

const PROOFS: readonly Exchange[] = [
  {
    operation: "GET /proof",
    name: "rootOfStore",
    summary: "The root of a store with two events",
    status: 200,
    answerHeaders: HEADERS,
    json: { storeId: STORE, head: 2, root: ROOT_2 },
  },
  {
    operation: "GET /proof",
    name: "consistency",
    summary: "The root continues that of one event",
    query: { from: "1", head: "2" },
    status: 200,
    answerHeaders: HEADERS,
    json: { storeId: STORE, head: 2, root: ROOT_2, from: 1, fromRoot: ROOT_1, path: [LEAF_2] },
  },
  {
    operation: "GET /proof",
    name: "beyondHead",
    summary: "A head that the store has not reached",
    query: { head: "3" },
    status: 400,
    json: { error: "InvalidRequest", message: "head must be at most 2, the head of the store, not 3" },
  },
];

/** Reads of a store with two events, in every edition. @param every the query for all events */
export function readExchanges(every: string): Exchange[] {
  return [
    {
      ...READ,
      name: "eventsOfCourse",
      summary: "Every event of one course",
      request: { query: COURSE_QUERY },
      lines: [LINE_1, LINE_2, { hasMore: false }],
    },
    {
      ...READ,
      name: "firstPage",
      summary: "A page of one event",
      request: { query: every, limit: 1 },
      lines: [LINE_1, { hasMore: true }],
    },
    {
      ...READ,
      name: "nextPage",
      summary: "The next page",
      request: { query: every, afterSequence: 1, limit: 1 },
      lines: [LINE_2, { hasMore: false }],
    },
    {
      ...READ,
      name: "lastEvent",
      summary: "The last event that matches",
      request: { query: [{ types: ["StudentEnrolled"] }], backwards: true, limit: 1 },
      lines: [LINE_2, { hasMore: false }],
    },
    {
      ...READ,
      name: "before",
      summary: "The events before event 2",
      request: { query: every, beforeSequence: 2 },
      lines: [LINE_1, { hasMore: false }],
    },
    {
      ...READ,
      name: "follow",
      summary: "Wait a second for an event after event 2; none has come",
      request: { query: every, afterSequence: 2, waitSeconds: 1 },
      lines: [{ hasMore: false }],
    },
    AFTER_CONFLICT,
    POSITION,
    CATALOG,
    ...PROOFS,
    {
      operation: "QUERY /events",
      name: "unknownKey",
      summary: "A key that does not exist",
      request: { query: every, offset: 10 },
      status: 400,
      json: { error: "InvalidRequest", message: 'unknown key "offset"' },
    },
  ];
}
