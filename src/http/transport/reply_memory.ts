import { partsOf, type Reply, type WholeBody } from "../exchange.ts";
import { replyHeadText, type ReplyOptions } from "./reply_head.ts";

/*
 * Most replies are short and go out in one write. They are assembled in memory that is reused. To allocate memory for
 * each head, each body and both together took longer than to fill it.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** Head and body of a short reply. */
const MEMORY_BYTES = 8 * 1024;

/** The body begins here, and the head ends here. The head is written last, since it holds the length of the body. */
const BODY_START = 1024;

/** The maximum number of UTF-8 bytes for each UTF-16 unit of a character. */
const UNIT_BYTES_MAX = 3;

/**
 * Unused pieces of memory that are stored for the next replies. More are in use while more replies are being sent, or
 * when clients read slowly.
 */
const UNUSED_MAX = 64;

const unused: Bytes[] = [];

const encoder = new TextEncoder();

export function takeMemory(): Bytes {
  return unused.pop() ?? new Uint8Array(MEMORY_BYTES);
}

/** Returns the memory to the pool. The caller guarantees that no write still reads from it. */
export function release(memory: Bytes): void {
  if (unused.length < UNUSED_MAX) unused.push(memory);
}

/**
 * Joins head and body of a reply.
 * @returns the part of the memory that holds them; undefined when it is too small
 */
export function wholeReply(
  memory: Bytes,
  reply: Reply,
  body: WholeBody,
  options: ReplyOptions,
): Bytes | undefined {
  const bodyBytes = putBody(memory, body);
  if (bodyBytes === undefined) return undefined;
  const head = replyHeadText(reply, bodyBytes, options);
  const start = BODY_START - head.length;
  if (start < 0) return undefined;
  const { read } = encoder.encodeInto(head, memory.subarray(start, BODY_START));
  // Only text that is not plain ASCII needs more bytes than it has characters.
  if (read < head.length) return undefined;
  return memory.subarray(start, options.withoutBody ? BODY_START : BODY_START + bodyBytes);
}

/** @returns the length of the body; undefined when it does not fit */
function putBody(memory: Bytes, body: WholeBody): number | undefined {
  if (typeof body === "string") {
    if (body.length * UNIT_BYTES_MAX > MEMORY_BYTES - BODY_START) return undefined;
    return encoder.encodeInto(body, memory.subarray(BODY_START)).written;
  }
  let end = BODY_START;
  for (const part of partsOf(body)) {
    if (end + part.length > MEMORY_BYTES) return undefined;
    memory.set(part, end);
    end += part.length;
  }
  return end - BODY_START;
}
