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
