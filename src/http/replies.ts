import { type ErrorCode, errorTable, type LogLevel, Refusal } from "../model/errors.ts";
import { MalformedTarget } from "./target.ts";
import { MalformedBody, type Reply } from "./exchange.ts";

type Headers = Reply["headers"];

const encoder = new TextEncoder();

export function jsonReply(status: number, value: unknown, headers: Headers = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: encoder.encode(JSON.stringify(value)),
  };
}

export function textReply(status: number, line: string, headers: Headers = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
    body: encoder.encode(`${line}\n`),
  };
}

export function emptyReply(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: null };
}

/** The reply to a request that failed, and the level of its line in the access log. */
export function errorReply(error: unknown, headers: Headers = {}): { reply: Reply; level: LogLevel } {
  if (error instanceof MalformedTarget || error instanceof MalformedBody) {
    return { reply: textReply(400, error.message), level: "info" };
  }
  if (error instanceof Refusal) return refusalReply(error.code, error.detail, headers);
  return refusalReply("InternalError", "unexpected failure of the server, see its log", headers);
}

function refusalReply(
  code: ErrorCode,
  message: string | undefined,
  headers: Headers,
): { reply: Reply; level: LogLevel } {
  const { status, level } = errorTable[code];
  const envelope = message === undefined ? { error: code } : { error: code, message };
  return { reply: jsonReply(status, envelope, headers), level };
}
