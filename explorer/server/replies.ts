import type { Page } from "./page_files.ts";

/** Lets the page load its own two files and connect to its own server, and nothing else. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "img-src 'self' data:",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join("; ");

/** The headers of every answer. Browsers never render an answer of the store as a page, whatever it contains. */
const COMMON: Readonly<Record<string, string>> = {
  "cache-control": "no-store",
  "content-security-policy": POLICY,
  "cross-origin-opener-policy": "same-origin",
  "cross-origin-resource-policy": "same-origin",
  "referrer-policy": "no-referrer",
  "x-content-type-options": "nosniff",
  "x-frame-options": "DENY",
};

/** Makes an answer of the explorer itself, or a forwarded one of the store. */
export function replyWith(
  status: number,
  contentType: string,
  body: BodyInit | null,
  headers: Readonly<Record<string, string>> = {},
): Response {
  return new Response(body, { status, headers: { ...headers, ...COMMON, "content-type": contentType } });
}

export function plainReply(status: number, text: string): Response {
  return replyWith(status, "text/plain; charset=utf-8", `${text}\n`);
}

export function jsonReply(status: number, value: unknown): Response {
  return replyWith(status, "application/json", JSON.stringify(value));
}

/** The answer with a file of the page, or undefined. */
export function pageReply(page: Page, path: string): Response | undefined {
  if (path === "/") return replyWith(200, "text/html; charset=utf-8", page.html);
  if (path === "/page.css") return replyWith(200, "text/css; charset=utf-8", page.css);
  if (path === "/page.js") return replyWith(200, "text/javascript; charset=utf-8", page.script);
  return undefined;
}
