/** One raw request, or several on one connection, with the expected result. */
export interface CorpusCase {
  readonly name: string;
  /** The bytes that are sent, one character for each byte. */
  readonly send: string;
  /**
   * The replies in order. `200 POST /a hello` is the status, then the request that the handler saw (see `echo.ts`).
   * A status alone means that the handler saw no complete request.
   */
  readonly answers: readonly string[];
  /** The state of the connection after the last answer. `waits`: a request is not complete. */
  readonly end: "kept" | "closed" | "waits";
}

/** The server answers, and the connection takes another request. */
export function takes(name: string, send: string, ...answers: string[]): CorpusCase {
  return { name, send, answers, end: "kept" };
}

/** The server answers, then closes the connection. */
export function takesLast(name: string, send: string, ...answers: string[]): CorpusCase {
  return { name, send, answers, end: "closed" };
}

/** The server answers only `400` (or the given status), then closes the connection. */
export function rejects(name: string, send: string, status: 400 | 413 | 431 = 400): CorpusCase {
  return { name, send, answers: [String(status)], end: "closed" };
}

/** The server waits for the rest of the request. */
export function waits(name: string, send: string, ...answers: string[]): CorpusCase {
  return { name, send, answers, end: "waits" };
}

/** A head of HTTP/1.1 with a `Host` and these further lines. */
export function head(requestLine: string, ...lines: string[]): string {
  return [requestLine, "Host: a", ...lines, "", ""].join("\r\n");
}

export function get(target: string, ...lines: string[]): string {
  return head(`GET ${target} HTTP/1.1`, ...lines);
}

export function post(body: string, ...lines: string[]): string {
  return head("POST /a HTTP/1.1", ...lines) + body;
}

export function chunked(body: string, ...lines: string[]): string {
  return post(body, "Transfer-Encoding: chunked", ...lines);
}

/** The request that a smuggler hides after another one. No handler may ever see it. */
export const EVIL = "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n";
