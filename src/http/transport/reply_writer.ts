import { Buffer } from "node:buffer";
import type { Reply } from "../exchange.ts";

type Bytes = Uint8Array<ArrayBuffer>;
type Stream = Exclude<Reply["body"], Bytes | null>;

export function isStream(body: Reply["body"]): body is Stream {
  return body !== null && !(body instanceof Uint8Array);
}

/** Where the bytes of a reply go. Resolves when the operating system has taken all of them. */
export type Write = (bytes: Bytes) => Promise<void>;

export interface ReplyOptions {
  readonly minorVersion: 0 | 1;
  /** Whether the connection stays open for another request. */
  readonly keepAlive: boolean;
  /** The request was `HEAD`. */
  readonly withoutBody: boolean;
}

/** What is handed over at once: small parts are joined up to this size, large ones are split. */
const PIECE_BYTES_MAX = 64 * 1024;

/** A reply of this status never has a body; bytes after its head would be taken for the next reply. */
const NO_CONTENT = 204;

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const LAST_CHUNK = encoder.encode("0\r\n\r\n");

/**
 * Writes a reply. A stream is sent in chunks, or to HTTP/1.0 until the connection closes.
 * @throws what the stream or `write` throws; the reply is then incomplete and the connection must be closed
 */
export async function writeReply(write: Write, reply: Reply, options: ReplyOptions): Promise<void> {
  const { status, body } = reply;
  const pieces = new Pieces(write);
  const chunked = options.minorVersion === 1;
  const length = isStream(body) ? (chunked ? "chunked" : "untilClose") : body?.length ?? 0;
  await pieces.add(encoder.encode(replyHeadText(reply, length, options)));
  if (options.withoutBody || status === NO_CONTENT) return await pieces.flush();
  if (isStream(body)) {
    for await (const part of body) await addPart(pieces, part, chunked);
    if (chunked) await pieces.add(LAST_CHUNK);
  } else if (body !== null) {
    await pieces.add(body);
  }
  await pieces.flush();
}

async function addPart(pieces: Pieces, part: Bytes, chunked: boolean): Promise<void> {
  if (part.length === 0) return;
  if (chunked) await pieces.add(encoder.encode(`${part.length.toString(16)}\r\n`));
  await pieces.add(part);
  if (chunked) await pieces.add(CRLF);
}

function replyHeadText(
  reply: Reply,
  length: number | "chunked" | "untilClose",
  options: ReplyOptions,
): string {
  const { status, headers } = reply;
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

/** The time of the reply, formatted once a second. */
function httpDate(): string {
  const second = Math.floor(Date.now() / 1000);
  if (second !== dateSecond) {
    dateSecond = second;
    dateText = new Date(second * 1000).toUTCString();
  }
  return dateText;
}

/** Joins small parts, so that a head and a small body are sent in one write, and splits large ones. */
class Pieces {
  readonly #write: Write;
  #parts: Bytes[] = [];
  #length = 0;

  constructor(write: Write) {
    this.#write = write;
  }

  async add(part: Bytes): Promise<void> {
    if (this.#length + part.length > PIECE_BYTES_MAX) await this.flush();
    if (part.length <= PIECE_BYTES_MAX) {
      this.#parts.push(part);
      this.#length += part.length;
      return;
    }
    for (let start = 0; start < part.length; start += PIECE_BYTES_MAX) {
      await this.#write(part.subarray(start, start + PIECE_BYTES_MAX));
    }
  }

  async flush(): Promise<void> {
    if (this.#length === 0) return;
    const [first] = this.#parts;
    const piece = this.#parts.length === 1 ? first! : Buffer.concat(this.#parts);
    this.#parts = [];
    this.#length = 0;
    await this.#write(piece);
  }
}
