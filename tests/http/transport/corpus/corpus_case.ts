/** One raw request, or several on one connection, and what must become of it. */
export interface CorpusCase {
  readonly name: string;
  /** One character for each byte. */
  readonly send: string;
  /**
   * The replies in order. `200 POST /a hello`: the status, then what the handler saw (see `echo.ts`); a status
   * alone where the handler saw no complete request.
   */
  readonly answers: readonly string[];
  /** What holds behind the last answer: `waits` is a request that is not complete. */
  readonly end: "kept" | "closed" | "waits";
}

/** Answered, and the connection takes another request. */
export function takes(name: string, send: string, ...answers: string[]): CorpusCase {
  return { name, send, answers, end: "kept" };
}

/** Answered, then the connection is closed. */
export function takesLast(name: string, send: string, ...answers: string[]): CorpusCase {
  return { name, send, answers, end: "closed" };
}

/** Nothing but `400` (or what is given), then the connection is closed. */
export function rejects(name: string, send: string, status: 400 | 413 | 431 = 400): CorpusCase {
  return { name, send, answers: [String(status)], end: "closed" };
}

/** More of the request is to come. */
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

/** What a smuggler hides behind a request: nobody may ever see it. */
export const EVIL = "GET /evil HTTP/1.1\r\nHost: a\r\n\r\n";
