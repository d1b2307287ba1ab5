import { Buffer } from "node:buffer";
import { isStream, lengthOf, partsOf, type Reply, type ReplyStream } from "../exchange.ts";
import { NO_CONTENT, replyHeadText, type ReplyOptions } from "./reply_head.ts";
import { release, takeMemory, wholeReply } from "./reply_memory.ts";

type Bytes = Uint8Array<ArrayBuffer>;

/**
 * Writes the bytes of a reply. Resolves when the operating system has taken all of them. Their memory is then reused.
 */
export type Write = (bytes: Bytes) => Promise<void>;

/** Small parts are joined up to this size, and a client has the time of one line for each so many bytes. */
export const PIECE_BYTES_MAX = 64 * 1024;

const encoder = new TextEncoder();
const CRLF = encoder.encode("\r\n");
const LAST_CHUNK = encoder.encode("0\r\n\r\n");

/**
 * Writes a reply. A stream is sent in chunks. For HTTP/1.0 it is sent without chunks, and the connection is closed.
 * @throws as the stream or `write`; the reply is then incomplete and the connection must be closed
 */
export async function writeReply(write: Write, reply: Reply, options: ReplyOptions): Promise<void> {
  const { status, body } = reply;
  if (isStream(body)) return await writeStream(write, reply, body, options);
  const sent = status === NO_CONTENT ? null : body;
  const memory = takeMemory();
  try {
    const whole = wholeReply(memory, reply, sent, options);
    if (whole !== undefined) return await write(whole);
  } finally {
    release(memory);
  }
  await writeLong(write, reply, typeof sent === "string" ? [encoder.encode(sent)] : partsOf(sent), options);
}

async function writeLong(
  write: Write,
  reply: Reply,
  parts: readonly Bytes[],
  options: ReplyOptions,
): Promise<void> {
  const pieces = new Pieces(write);
  await pieces.add(encoder.encode(replyHeadText(reply, lengthOf(parts), options)));
  if (!options.withoutBody) { for (const part of parts) await pieces.add(part); }
  await pieces.flush();
}

async function writeStream(
  write: Write,
  reply: Reply,
  body: ReplyStream,
  options: ReplyOptions,
): Promise<void> {
  const pieces = new Pieces(write);
  const chunked = options.minorVersion === 1;
  await pieces.add(encoder.encode(replyHeadText(reply, chunked ? "chunked" : "untilClose", options)));
  if (!options.withoutBody && reply.status !== NO_CONTENT) {
    for await (const part of body) await addPart(pieces, part, chunked);
    if (chunked) await pieces.add(LAST_CHUNK);
  }
  await pieces.flush();
}

async function addPart(pieces: Pieces, part: Bytes, chunked: boolean): Promise<void> {
  if (part.length === 0) return;
  if (chunked) await pieces.add(encoder.encode(`${part.length.toString(16)}\r\n`));
  await pieces.add(part);
  if (chunked) await pieces.add(CRLF);
}

/** Joins small parts, so that a head and a small body are sent in one write. */
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
    await this.#write(part);
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
