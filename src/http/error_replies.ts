import type { LogLevel } from "../log/level.ts";
import { ApiError, type ErrorCode } from "../model/errors.ts";
import { Malformed, type Reply } from "./exchange.ts";
import { jsonReply, textReply } from "./replies.ts";

/** The one place that decides how an error becomes a reply: its status, and its level in the access log. */
const outcomes: Readonly<Record<ErrorCode, { readonly status: number; readonly level: LogLevel }>> = {
  InvalidRequest: { status: 400, level: "info" },
  Unauthorized: { status: 401, level: "info" },
  ProjectionNotFound: { status: 404, level: "debug" },
  TransactionNotFound: { status: 404, level: "debug" },
  ConcurrencyException: { status: 409, level: "debug" },
  TransactionBusy: { status: 409, level: "info" },
  NotPaused: { status: 409, level: "info" },
  TicketNotActive: { status: 410, level: "debug" },
  PayloadTooLarge: { status: 413, level: "info" },
  InternalError: { status: 500, level: "error" },
  WriteQueueFull: { status: 503, level: "warning" },
  TransactionQueueFull: { status: 503, level: "warning" },
  TooManyTransactions: { status: 503, level: "warning" },
  Paused: { status: 503, level: "debug" },
  ShuttingDown: { status: 503, level: "info" },
  // A proxy asks once a second which server is active.
  Standby: { status: 503, level: "debug" },
  Unavailable: { status: 503, level: "error" },
};

/** Says that an error is the server's own word, and not that of a proxy: the code of the error. */
export const ERROR_HEADER = "X-Service-Error";

/** The reply to a request that failed, and the level of its line in the access log. */
export function errorReply(
  error: unknown,
  headers: Reply["headers"] = {},
): { readonly reply: Reply; readonly level: LogLevel } {
  if (error instanceof Malformed) {
    return { reply: plainErrorReply(error.status, error.message), level: "info" };
  }
  const { code, detail: message, facts } = error instanceof ApiError
    ? error
    : new ApiError("InternalError", "unexpected server error; see the server's log");
  const { status, level } = outcomes[code];
  const envelope = { error: code, ...(message === undefined ? {} : { message }), ...facts };
  // A line feed, so that the prompt of a terminal does not follow on the same line.
  const reply = {
    ...jsonReply(status, envelope, { ...headers, [ERROR_HEADER]: code }),
    body: `${JSON.stringify(envelope)}\n`,
  };
  return { reply, level };
}

/** The reply in one line of plain text to a request that is none of the interface. */
export function plainErrorReply(status: number, line: string, headers: Reply["headers"] = {}): Reply {
  const code: ErrorCode = "InvalidRequest";
  return textReply(status, line, { ...headers, [ERROR_HEADER]: code });
}

/** Whether an error is the server's fault. */
export function isInternal(error: unknown): boolean {
  return error instanceof ApiError ? error.code === "InternalError" : !(error instanceof Malformed);
}
