import type { LogLevel } from "../log/log.ts";
import { ApiError, type ErrorCode } from "../model/errors.ts";
import { Malformed, type Reply } from "./exchange.ts";
import { jsonReply, textReply } from "./replies.ts";

/** The one place that decides the reply to an error: its status, and its level in the access log. */
const outcomes: Readonly<Record<ErrorCode, { readonly status: number; readonly level: LogLevel }>> = {
  InvalidRequest: { status: 400, level: "info" },
  Unauthorized: { status: 401, level: "info" },
  Forbidden: { status: 403, level: "info" },
  ProjectionNotFound: { status: 404, level: "debug" },
  SubjectNotFound: { status: 404, level: "info" },
  TransactionNotFound: { status: 404, level: "debug" },
  ConcurrencyException: { status: 409, level: "debug" },
  TransactionBusy: { status: 409, level: "info" },
  NotPaused: { status: 409, level: "info" },
  TicketNotActive: { status: 410, level: "debug" },
  PayloadTooLarge: { status: 413, level: "info" },
  InternalError: { status: 500, level: "error" },
  DiskFull: { status: 507, level: "error" },
  WriteQueueFull: { status: 503, level: "warning" },
  TransactionQueueFull: { status: 503, level: "warning" },
  TooManyTransactions: { status: 503, level: "warning" },
  Paused: { status: 503, level: "debug" },
  ShuttingDown: { status: 503, level: "info" },
  // A proxy asks once a second which server is active.
  Standby: { status: 503, level: "debug" },
  Unavailable: { status: 503, level: "error" },
};

/** The header that holds the error code. It shows that the error comes from the server and not from a proxy. */
export const ERROR_HEADER = "X-Service-Error";

/** A reply, and the level of its line in the access log. */
export interface LeveledReply {
  readonly reply: Reply;
  readonly level: LogLevel;
}

/** Returns the reply to a failed request. */
export function errorReply(error: unknown, headers: Reply["headers"] = {}): LeveledReply {
  if (error instanceof Malformed) {
    return { reply: plainErrorReply(error.status, error.message), level: "info" };
  }
  const { code, detail: message, facts } = error instanceof ApiError
    ? error
    : new ApiError("InternalError", "unexpected server error; see the server's log");
  const { status, level } = outcomes[code];
  const envelope = { error: code, ...(message === undefined ? {} : { message }), ...facts };
  // The line feed keeps the prompt of a terminal off the line of the reply.
  const reply = {
    ...jsonReply(status, envelope, { ...headers, [ERROR_HEADER]: code }),
    body: `${JSON.stringify(envelope)}\n`,
  };
  return { reply, level };
}

/** Returns a reply of one line of plain text, for a request that is not part of the interface. */
export function plainErrorReply(status: number, line: string, headers: Reply["headers"] = {}): Reply {
  const code: ErrorCode = "InvalidRequest";
  return textReply(status, line, { ...headers, [ERROR_HEADER]: code });
}

/** True when the server is at fault for an error. */
export function isInternal(error: unknown): boolean {
  return error instanceof ApiError ? error.code === "InternalError" : !(error instanceof Malformed);
}
