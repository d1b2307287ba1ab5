import type { Random } from "../workload/random.ts";

/** The faults that a proxy may cause. `after`: once the server has answered. */
export const HTTP_FAULTS = [
  "answerLost",
  "cutBefore",
  "cutWithin",
  "wordsInstead",
  "wordsAfter",
  "delayed",
] as const;
export type HttpFault = (typeof HTTP_FAULTS)[number];

/**
 * The header that marks answers of the proxy. Only this audit uses it, to distinguish them from answers of a server.
 */
export const PROXY_HEADER = "x-audit-proxy";

type Words = readonly [status: string, type: string, body: string];

const html = (status: string): Words => [
  status,
  "text/html",
  `<html><head><title>${status}</title></head><body><center><h1>${status}</h1></center></body></html>\n`,
];

/** Answers that come from proxies and load balancers, and say nothing about the server. */
const WORDS: readonly Words[] = [
  html("502 Bad Gateway"),
  html("503 Service Temporarily Unavailable"),
  html("504 Gateway Time-out"),
  html("408 Request Time-out"),
  html("429 Too Many Requests"),
  html("200 OK"),
  ["503 Service Unavailable", "application/json", '{"error":"ServiceUnavailable"}'],
  ["503 Service Unavailable", "application/json", '{"error":"Unavailable","message":"no healthy upstream"}'],
  ["500 Internal Server Error", "application/json", '{"error":"InternalServerError"}'],
  ["502 Bad Gateway", "application/json", '{"error":"Bad Gateway","status":502}'],
  ["429 Too Many Requests", "application/json", '{"error":"TooManyRequests"}'],
  ["503 Service Unavailable", "text/plain", "upstream connect error or disconnect/reset before headers"],
  ["200 OK", "application/json", "{}"],
];

/** The answer of the proxy when no server can be reached. */
export const NO_SERVER: Words = html("503 Service Unavailable");

export function randomWords(random: Random): Words {
  return random.pick(WORDS);
}

export function bytesOfWords([status, type, body]: Words): Uint8Array {
  const lines = [
    `HTTP/1.1 ${status}`,
    `content-type: ${type}`,
    `content-length: ${body.length}`,
    `${PROXY_HEADER}: 1`,
    "connection: close",
  ];
  return new TextEncoder().encode(`${lines.join("\r\n")}\r\n\r\n${body}`);
}
