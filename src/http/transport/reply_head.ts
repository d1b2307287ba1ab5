import type { Reply } from "../exchange.ts";

export interface ReplyOptions {
  readonly minorVersion: 0 | 1;
  /** True when the connection stays open for another request. */
  readonly keepAlive: boolean;
  readonly withoutBody: boolean;
}

/** A reply of this status never has a body. Clients would take bytes after its head for the next reply. */
export const NO_CONTENT = 204;

/** Returns the head of a reply with a body of so many bytes, or of unknown length. */
export function replyHeadText(
  { status, headers }: Reply,
  length: number | "chunked" | "untilClose",
  options: ReplyOptions,
): string {
  let text = `HTTP/1.1 ${status} ${REASONS[status] ?? ""}\r\nDate: ${httpDate()}\r\n`;
  for (const name in headers) text += `${name}: ${headers[name]}\r\n`;
  if (status !== NO_CONTENT) {
    if (length === "chunked") text += "Transfer-Encoding: chunked\r\n";
    else if (typeof length === "number" && headers["Content-Length"] === undefined) {
      text += `Content-Length: ${length}\r\n`;
    }
  }
  if (!options.keepAlive) text += "Connection: close\r\n";
  else if (options.minorVersion === 0) text += "Connection: keep-alive\r\n";
  return `${text}\r\n`;
}

const REASONS: Readonly<Record<number, string>> = {
  200: "OK",
  202: "Accepted",
  204: "No Content",
  400: "Bad Request",
  401: "Unauthorized",
  403: "Forbidden",
  404: "Not Found",
  405: "Method Not Allowed",
  409: "Conflict",
  410: "Gone",
  413: "Content Too Large",
  431: "Request Header Fields Too Large",
  500: "Internal Server Error",
  503: "Service Unavailable",
};

let dateText = "";
let dateSecond = 0;

/** Returns the time of the reply, formatted once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}
