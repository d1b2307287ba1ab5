import type { Reply } from "./exchange.ts";

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
