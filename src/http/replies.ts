import type { Reply } from "./exchange.ts";

type Headers = Reply["headers"];

export function jsonReply(status: number, value: unknown, headers: Headers = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "application/json", ...headers },
    body: JSON.stringify(value),
  };
}

export function textReply(status: number, line: string, headers: Headers = {}): Reply {
  return {
    status,
    headers: { "Content-Type": "text/plain; charset=utf-8", ...headers },
    body: `${line}\n`,
  };
}

export function emptyReply(status: number, headers: Headers = {}): Reply {
  return { status, headers, body: null };
}
