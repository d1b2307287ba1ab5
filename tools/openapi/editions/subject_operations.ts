import type { ErrorCode } from "../../../src/model/errors.ts";
import { FORGET_EVENTS_MAX } from "../../../src/model/limits.ts";
import { json, jsonLines, type Operation } from "../operation.ts";
import { PAGE_LIMIT } from "./read_request.ts";
import {
  answer,
  described,
  list,
  NAME,
  oneWord,
  POSITION,
  ref,
  request,
  type Schema,
  TEXT,
} from "../schema.ts";

/** The operations of a server with the setting `subjects`. @param noTurn the errors when a forgetting gets no turn */
export function subjectOperations(noTurn: readonly ErrorCode[]): Operation[] {
  return [forget(noTurn), ...READS].map((operation) => ({
    ...operation,
    tag: "subjects",
    absent: "NoSubjects",
  }));
}

type SubjectOperation = Omit<Operation, "tag">;

function forget(noTurn: readonly ErrorCode[]): SubjectOperation {
  return {
    method: "POST",
    path: "/forget",
    id: "forget",
    summary: "Make the payloads of a subject unreadable for good",
    description:
      "Destroys the keys of the subject in a turn of its own, durably before the answer, and appends the events of the" +
      " request in the same turn. Later payloads of the subject get a new key.",
    body: "ForgetRequest",
    successes: [{
      status: 200,
      description: "The keys are gone, and the events are durable.",
      headers: ["Store"],
      body: json("Forgotten"),
    }],
    errors: ["SubjectNotFound", ...noTurn],
  };
}

const READS: readonly SubjectOperation[] = [
  {
    method: "GET",
    path: "/subjects/{name}/{value}",
    id: "readSubject",
    summary: "Read all events of a subject",
    successes: [{
      status: 200,
      description:
        'One JSON value per line: all events with this identifier, readable, then `{"hasMore": false}`.',
      headers: ["Store", "NotCached"],
      body: jsonLines("PageLine"),
    }],
    errors: ["Unavailable"],
  },
  {
    method: "QUERY",
    path: "/events/stored",
    id: "readStoredEvents",
    summary: "Read events as they are stored, for backups and proofs",
    body: "StoredReadRequest",
    successes: [{
      status: 200,
      description: "A page as that of `QUERY /events`, in which payloads of subjects are encrypted.",
      headers: ["Store", "Head", "NotCached"],
      body: jsonLines("StoredLine"),
    }],
    errors: ["Unavailable"],
  },
  {
    method: "GET",
    path: "/subjects",
    id: "listKeys",
    summary: "List all keys that subjects have had, without the keys themselves",
    successes: [{
      status: 200,
      description: 'One JSON value per line: each key in use or destroyed, then `{"hasMore": false}`.',
      headers: ["Store", "NotCached"],
      body: jsonLines("ListedKeyLine"),
    }],
    errors: ["Unavailable"],
  },
  {
    method: "GET",
    path: "/subjects/keys",
    id: "readKeys",
    summary: "Read the keys of subjects, for a backup of them",
    successes: [{
      status: 200,
      description: 'One JSON value per line: each key in use, then `{"hasMore": false}`.',
      headers: ["Store", "NotCached"],
      body: jsonLines("KeyLine"),
    }],
    errors: ["Unavailable"],
  },
  {
    method: "GET",
    path: "/subjects/forgotten",
    id: "readForgotten",
    summary: "List the keys that were destroyed",
    successes: [{
      status: 200,
      description: 'One JSON value per line: each key that was destroyed, then `{"hasMore": false}`.',
      headers: ["Store", "NotCached"],
      body: jsonLines("ForgottenLine"),
    }],
    errors: ["Unavailable"],
  },
];

const KEY_ID: Schema = {
  type: "string",
  pattern: "^[A-Za-z0-9_-]{16}$",
  description: "The first 12 bytes of the SHA-256 of the key, in Base64 for URLs.",
};

const KEY_OF = { id: ref("KeyId"), name: NAME, value: TEXT };

export const SUBJECT_SCHEMAS: Readonly<Record<string, Schema>> = {
  ForgetRequest: request({
    required: ["identifier"],
    properties: {
      identifier: described(
        "The subject.",
        request({ required: ["name", "value"], properties: { name: NAME, value: TEXT } }),
      ),
      events: list(ref("NewEvent"), { maxItems: FORGET_EVENTS_MAX }),
    },
  }),
  Forgotten: answer({
    forgotten: described(
      "`before`: it had been forgotten, and no payload has been written since.",
      oneWord("now", "before"),
    ),
    events: list(answer({ sequence: ref("Sequence"), time: ref("Time") })),
  }),
  StoredReadRequest: request({
    properties: {
      afterSequence: described("Only events after this sequence.", POSITION),
      limit: described("At most so many events, up to `maxEventsPerPage`.", PAGE_LIMIT),
    },
  }),
  StoredLine: { oneOf: [ref("StoredEvent"), ref("HasMore")] },
  StoredEvent: answer({
    sequence: ref("Sequence"),
    time: ref("Time"),
    type: NAME,
    identifiers: ref("Tags"),
    metadata: ref("Tags"),
    payload: described("Empty when it is in `sealed`.", TEXT),
    sealed: described("The encrypted payload: docs/privacy.md has its form.", ref("SealedPayload")),
  }, ["sealed"]),
  SealedPayload: answer({
    keys: described(
      "The name of each subject and the ID of its key.",
      list({ type: "array", prefixItems: [NAME, ref("KeyId")], minItems: 2, maxItems: 2 }, { minItems: 1 }),
    ),
    data: described("Nonce, ciphertext and tag of AES-256-GCM, in Base64.", TEXT),
  }),
  KeyId: KEY_ID,
  ListedKeyLine: { oneOf: [ref("ListedKey"), ref("HasMore")] },
  ListedKey: answer({
    ...KEY_OF,
    forgotten: described("When the key was destroyed, if it was.", ref("Time")),
    damaged: described("Present when a bit of the key or of its ID has changed.", {
      type: "boolean",
      const: true,
    }),
  }, ["forgotten", "damaged"]),
  KeyLine: { oneOf: [ref("Key"), ref("HasMore")] },
  Key: answer({ ...KEY_OF, key: described("32 bytes in Base64.", TEXT) }),
  ForgottenLine: { oneOf: [ref("ForgottenKey"), ref("HasMore")] },
  ForgottenKey: answer({ ...KEY_OF, forgotten: ref("Time") }),
};
