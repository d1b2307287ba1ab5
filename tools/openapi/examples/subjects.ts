import type { Exchange } from "../exchange.ts";
import type { JsonObject } from "../json.ts";
import { KEY, KEY_ID, LINE_1, LINE_2, STORE, TIME_2 } from "./names.ts";

const IN_STORE = { "X-Service-Store": STORE };
const IDENTIFIER = { name: "student", value: "s2" };
const FORGOTTEN_LINE = { ...LINE_2, payload: "", forgotten: ["student"] };
const FORGOTTEN_EVENT = { type: "StudentForgotten", identifiers: { course: "c1" }, payload: "" };

/** Requests about the subjects of a store with two events, in every edition. */
export const SUBJECT_EXCHANGES: readonly Exchange[] = [
  {
    operation: "QUERY /events/stored",
    name: "storedPage",
    summary: "The first event as it is stored. It has no subject, so its payload is readable",
    request: { limit: 1 },
    status: 200,
    answerHeaders: { ...IN_STORE, "X-Service-Head": "2" },
    lines: [LINE_1, { hasMore: true }],
  },
  {
    operation: "GET /subjects/keys",
    name: "keys",
    summary: "The keys of two subjects",
    status: 200,
    answerHeaders: IN_STORE,
    lines: [keyLine("s1"), keyLine("s2"), { hasMore: false }],
  },
  {
    operation: "GET /subjects/{name}/{value}",
    name: "subject",
    summary: "All events of a student",
    path: IDENTIFIER,
    status: 200,
    answerHeaders: IN_STORE,
    lines: [LINE_2, { hasMore: false }],
  },
  {
    operation: "POST /forget",
    name: "forget",
    summary: "Forget a student, and say so in an event",
    request: { identifier: IDENTIFIER, events: [FORGOTTEN_EVENT] },
    status: 200,
    answerHeaders: IN_STORE,
    json: { forgotten: "now", events: [{ sequence: 3, time: TIME_2 }] },
  },
  {
    operation: "POST /forget",
    name: "forgetAgain",
    summary: "The same student once more",
    request: { identifier: IDENTIFIER },
    status: 200,
    answerHeaders: IN_STORE,
    json: { forgotten: "before", events: [] },
  },
  {
    operation: "POST /forget",
    name: "forgetUnknown",
    summary: "A student of whom there is no event",
    request: { identifier: { name: "student", value: "s9" } },
    status: 404,
    json: { error: "SubjectNotFound" },
  },
  {
    operation: "GET /subjects/{name}/{value}",
    name: "forgotten",
    summary: "Events of two students, one of whom was forgotten",
    path: { name: "student", value: "s1" },
    status: 200,
    answerHeaders: IN_STORE,
    lines: [FORGOTTEN_LINE, { hasMore: false }],
  },
  {
    operation: "GET /subjects",
    name: "listedKeys",
    summary: "The keys of two subjects, one of which was destroyed",
    status: 200,
    answerHeaders: IN_STORE,
    lines: [
      { id: KEY_ID, name: "student", value: "s1" },
      { id: KEY_ID, ...IDENTIFIER, forgotten: TIME_2 },
      { hasMore: false },
    ],
  },
  {
    operation: "GET /subjects/forgotten",
    name: "forgottenKeys",
    summary: "The key of one subject was destroyed",
    status: 200,
    answerHeaders: IN_STORE,
    lines: [{ id: KEY_ID, ...IDENTIFIER, forgotten: TIME_2 }, { hasMore: false }],
  },
];

function keyLine(value: string): JsonObject {
  return { id: KEY_ID, name: "student", value, key: KEY };
}
