import { errorReply } from "../../src/http/error_replies.ts";
import { ApiError, type ErrorCode } from "../../src/model/errors.ts";
import type { JsonObject } from "./json.ts";
import { answer, COUNT, described, oneWord, ref, type Schema, TEXT } from "./schema.ts";

/** The text of the documents about an error. The status comes from the server's code. */
interface ErrorText {
  readonly when: string;
  /** An example of the message. Undefined for errors without a message. */
  readonly message?: string;
}

const TEXTS: Readonly<Record<ErrorCode, ErrorText>> = {
  InvalidRequest: {
    when: "The request is malformed or breaks a rule or a limit; the message names the item.",
    message: "events[0]: payload is missing",
  },
  Unauthorized: {
    when: "No valid bearer token, where one is required.",
    message: "missing or invalid bearer token",
  },
  Forbidden: {
    when: "The token lacks the right that this request needs.",
    message: 'the token report lacks the right "write"',
  },
  ProjectionNotFound: { when: "There is no projection of this type and ID. In a transaction, it goes on." },
  SubjectNotFound: {
    when:
      "The store has never had a key for this subject. Nothing was written. In plain text: the server has no `subjects`.",
  },
  TransactionNotFound: { when: "The transaction is unknown, expired or over." },
  ConcurrencyException: {
    when: "What the write depends on has changed. Nothing was written: read and decide again.",
    message: "conditions[0] no longer holds",
  },
  TransactionBusy: {
    when: "Another call is running on this transaction, which goes on.",
    message: "another call is running on this transaction",
  },
  NotPaused: { when: "This call is accepted only during a pause." },
  TicketNotActive: { when: "The ticket is unknown, or its transaction is over." },
  PayloadTooLarge: {
    when: "An event, a projection or the body is larger than a limit; the message names the setting.",
    message: "events[0] is 70001 bytes, more than maxEventSize (65536)",
  },
  InternalError: {
    when: "The server failed. Nothing was written; its log says why.",
    message: "unexpected server error; see the server's log",
  },
  DiskFull: {
    when: "The disk of the database is full. Nothing was written; writes continue once there is space.",
    message: "nothing was written: database or disk is full",
  },
  WriteQueueFull: { when: "Too many requests wait for their turn. Nothing was written." },
  TransactionQueueFull: { when: "Too many requests wait for their turn. Nothing was written." },
  TooManyTransactions: {
    when: "Too many transactions are open, or they hold too much. A transaction that was called is over.",
    message: "1000 transactions are already open, the limit set by maxOpenTx",
  },
  Paused: { when: "No transaction begins during a pause." },
  ShuttingDown: { when: "The server is stopping. Nothing was written." },
  Standby: {
    when: "Another server is active on the store: ask that one. Nothing was written.",
    message: "another server is active on the store; this one takes over when that ends",
  },
  Unavailable: {
    when:
      "The database cannot be reached or is locked, too many reads wait, a large body found no memory, or another profile is being made.",
    message: "too many reads are waiting for a reader",
  },
};

/** Every code of the type `ErrorCode`. */
export const ERROR_CODES = Object.keys(TEXTS) as readonly ErrorCode[];

export function whenOf(code: ErrorCode): string {
  return TEXTS[code].when;
}

export function statusOf(code: ErrorCode): number {
  return errorReply(new ApiError(code)).reply.status;
}

/** The forms of an edition's conflicts. */
export interface Conflicts {
  readonly forms: readonly Schema[];
  readonly example: JsonObject;
  /** True if some conflicts carry no message. */
  readonly messageIsOptional: boolean;
}

export const CONDITION_PLACE: Schema = described(
  "A condition by its place, and the first event that matches it. Without one, it was read on another store, or on a" +
    " history that went back.",
  answer({ condition: COUNT, sequence: ref("Sequence") }, ["sequence"]),
);

export const LIST_ITEM: Schema = described(
  "A projection by its place in the request.",
  answer({ list: oneWord("create", "replace", "delete"), item: COUNT }),
);

export const NAMED_PROJECTION: Schema = described(
  "A projection by its key.",
  answer({ projection: answer({ type: TEXT, id: TEXT }) }),
);

/** The schemas of these errors. */
export function errorSchemas(codes: readonly ErrorCode[], conflicts: Conflicts): Record<string, Schema> {
  const schemas = Object.fromEntries(codes.map((code) => [code, errorSchema(code, conflicts)]));
  return { ...schemas, Conflict: { oneOf: [...conflicts.forms] } };
}

function errorSchema(code: ErrorCode, { example, messageIsOptional }: Conflicts): Schema {
  const { when, message } = TEXTS[code];
  const isConflict = code === "ConcurrencyException";
  const properties = {
    error: oneWord(code),
    ...(message === undefined ? {} : { message: TEXT }),
    ...(isConflict ? { conflict: ref("Conflict") } : {}),
  };
  const shown = {
    error: code,
    ...(message === undefined ? {} : { message }),
    ...(isConflict ? { conflict: example } : {}),
  };
  return {
    description: when,
    ...answer(properties, isConflict && messageIsOptional ? ["message"] : []),
    examples: [shown],
  };
}
