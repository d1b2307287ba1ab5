/*
 * Parses the head of a request into its fields. It accepts a strict subset of RFC 9112. Everything that two readers
 * might understand differently is rejected, so that no request can be smuggled past a proxy.
 */

import { Buffer } from "node:buffer";
import { Malformed } from "../exchange.ts";

const REQUEST_HEAD_BYTES_MAX = 64 * 1024;
const FIELDS_MAX = 100;

const CR = 0x0d;
const LF = 0x0a;
const TAB = 0x09;
const SPACE = 0x20;
const DELETE = 0x7f;

/** The first byte of a client that speaks TLS, and the message for it, which only the log shows. */
const TLS_HANDSHAKE = 0x16;
const TLS = "this is TLS, but the server speaks plain HTTP: use http://, or a proxy that terminates TLS";

/** How the body of a request is delimited. */
export type Framing =
  | { readonly kind: "none" }
  | { readonly kind: "length"; readonly bytes: number }
  | { readonly kind: "chunked" };

export interface RequestHead {
  readonly method: string;
  /** In origin form, also when the client sent it in absolute form; `host` is then the host of that form. */
  readonly target: string;
  readonly minorVersion: 0 | 1;
  /** Values by lower-case name; the values of one name are joined by ", ". */
  readonly fields: ReadonlyMap<string, string>;
  readonly framing: Framing;
  readonly expectsContinue: boolean;
  /** True when the client wants to send another request on this connection. */
  readonly keepAlive: boolean;
}

/**
 * Looks for the empty line that ends a request head.
 * @param from where the search continues after an earlier call
 * @returns the index after the empty line, or -1 while the head is incomplete
 * @throws Malformed as soon as the head contains a byte that is not allowed, or is too long
 */
export function findRequestHeadEnd(bytes: Uint8Array, from: number): number {
  const end = Math.min(bytes.length, REQUEST_HEAD_BYTES_MAX);
  for (let i = from; i < end; i++) {
    const byte = bytes[i]!;
    if (byte >= 0x20 && byte !== DELETE) {
      if (bytes[i - 1] === CR) throw new Malformed("a carriage return without a line feed");
      continue;
    }
    if (byte === LF) {
      if (bytes[i - 1] !== CR) throw new Malformed("a line feed without a carriage return");
      if (i === 1) throw new Malformed("more than one empty line before the request");
      if (bytes[i - 2] === LF) return i + 1;
    } else if (bytes[i - 1] === CR || (byte !== CR && byte !== TAB)) {
      throw new Malformed(i === 0 && byte === TLS_HANDSHAKE ? TLS : "a control character in the head");
    }
  }
  if (bytes.length >= REQUEST_HEAD_BYTES_MAX) {
    throw new Malformed(`the head exceeds ${REQUEST_HEAD_BYTES_MAX} bytes`, 431);
  }
  return -1;
}

/** The characters of a name, for regular expressions. */
export const TOKEN = "[!#$%&'*+\\-.^_`|~0-9A-Za-z]+";

const FIELD_NAME = new RegExp(`^${TOKEN}$`);
const REQUEST_LINE = new RegExp(String.raw`^(${TOKEN}) ([\x21\x22\x24-\x7e]+) HTTP/1\.([0-9])$`);
/** Without user information, which only misleads. `https` must not be answered on a plain connection. */
const ABSOLUTE_FORM =
  /^http:\/\/((?:\[[0-9A-Fa-f:.]+\]|[A-Za-z0-9\-._~%!$&'()*+,;=]+)(?::[0-9]*)?)(?=[/?]|$)/i;
const HOST = /^[A-Za-z0-9\-._~%!$&'()*+,;=:[\]]*$/;

const GIVEN_ONCE = ["host", "content-length", "transfer-encoding", "expect"];

/**
 * Parses a complete request head.
 * @param bytes the head with the empty line at its end, accepted by `findRequestHeadEnd`
 * @throws Malformed
 */
export function parseRequestHead(bytes: Uint8Array): RequestHead {
  const [requestLine = "", ...lines] = latin1(bytes.subarray(0, -4)).split("\r\n");
  const match = REQUEST_LINE.exec(requestLine);
  const target = match === null ? undefined : parseTarget(match[2]!);
  if (match === null || target === undefined) {
    throw new Malformed('the request line is not "METHOD /path HTTP/1.1"');
  }
  // Its target is never a path. The bytes after it are not HTTP, and a proxy may assume the same.
  if (match[1] === "CONNECT") throw new Malformed("this server is not a proxy");
  if (lines.length > FIELDS_MAX) throw new Malformed(`more than ${FIELDS_MAX} header fields`, 431);
  const fields = new Map<string, string>();
  let repeated: Set<string> | undefined;
  for (const line of lines) {
    const [name, value] = parseField(line);
    const earlier = fields.get(name);
    if (earlier !== undefined) (repeated ??= new Set()).add(name);
    fields.set(name, earlier === undefined ? value : `${earlier}, ${value}`);
  }
  for (const name of GIVEN_ONCE) {
    if (repeated?.has(name)) throw new Malformed(`the header field ${name} is given twice`);
  }
  // Later minor versions of HTTP/1 are compatible with HTTP/1.1.
  const minorVersion = match[3] === "0" ? 0 : 1;
  checkHost(fields.get("host"), minorVersion);
  if (target.authority !== undefined) fields.set("host", target.authority);
  return {
    method: match[1]!,
    target: target.origin,
    minorVersion,
    fields,
    framing: framingOf(fields, minorVersion),
    expectsContinue: expectsContinue(fields.get("expect"), minorVersion),
    keepAlive: keepAlive(fields.get("connection"), minorVersion),
  };
}

/** @returns undefined for a target that is neither in origin form nor in absolute form */
function parseTarget(target: string): { origin: string; authority: string | undefined } | undefined {
  if (target.startsWith("/")) return { origin: target, authority: undefined };
  const match = ABSOLUTE_FORM.exec(target);
  if (match === null) return undefined;
  const rest = target.slice(match[0].length);
  return { origin: rest.startsWith("/") ? rest : `/${rest}`, authority: match[1]! };
}

/** Returns one character for each byte. A TextDecoder takes "latin1" for windows-1252. */
function latin1(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length).toString("latin1");
}

function parseField(line: string): [name: string, value: string] {
  const colon = line.indexOf(":");
  const name = line.slice(0, colon).toLowerCase();
  // A line that begins with a space would continue the one before it; a space before the colon hides a name.
  if (colon < 0 || !FIELD_NAME.test(name)) throw new Malformed('a header line is not "name: value"');
  let start = colon + 1;
  let end = line.length;
  // `trim()` would remove more than spaces and tabs.
  while (isBlank(line.charCodeAt(start))) start++;
  while (end > start && isBlank(line.charCodeAt(end - 1))) end--;
  return [name, line.slice(start, end)];
}

function isBlank(unit: number): boolean {
  return unit === SPACE || unit === TAB;
}

function checkHost(host: string | undefined, minorVersion: 0 | 1): void {
  if (host === undefined && minorVersion === 1) throw new Malformed("the header field host is missing");
  if (host !== undefined && !HOST.test(host)) throw new Malformed("the header field host is not valid");
}

function framingOf(fields: ReadonlyMap<string, string>, minorVersion: 0 | 1): Framing {
  const length = fields.get("content-length");
  const coding = fields.get("transfer-encoding");
  if (coding !== undefined) {
    if (length !== undefined) throw new Malformed("both content-length and transfer-encoding are given");
    if (minorVersion === 0) throw new Malformed("transfer-encoding is not allowed in HTTP/1.0");
    if (coding.toLowerCase() !== "chunked") throw new Malformed("transfer-encoding must be chunked");
    return { kind: "chunked" };
  }
  if (length === undefined) return { kind: "none" };
  if (!/^[0-9]{1,15}$/.test(length)) throw new Malformed("content-length is not a number of bytes");
  const bytes = Number(length);
  return bytes === 0 ? { kind: "none" } : { kind: "length", bytes };
}

function expectsContinue(expect: string | undefined, minorVersion: 0 | 1): boolean {
  if (expect === undefined) return false;
  if (expect.toLowerCase() !== "100-continue") throw new Malformed("expect must be 100-continue");
  return minorVersion === 1;
}

function keepAlive(connection: string | undefined, minorVersion: 0 | 1): boolean {
  const options = connection?.toLowerCase().split(/[ \t]*,[ \t]*/) ?? [];
  if (options.includes("close")) return false;
  return minorVersion === 1 || options.includes("keep-alive");
}
