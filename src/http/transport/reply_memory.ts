import { partsOf, type Reply, type WholeBody } from "../exchange.ts";
import { replyHeadText, type ReplyOptions } from "./reply_head.ts";

/*
 * Most replies are short and go out in one write. They are put together in memory that is used again: to allocate
 * some for each head, each body and both together took longer than to fill it.
 */

type Bytes = Uint8Array<ArrayBuffer>;

/** Head and body of a short reply. */
const MEMORY_BYTES = 8 * 1024;

/** The body begins here, and the head ends here: it is written last, since it tells the length of the body. */
const BODY_START = 1024;

/** A character takes at most so many bytes in UTF-8 for each of its units. */
const UNIT_BYTES_MAX = 3;

/** What is kept for the next replies. More is in use when that many are being sent, or their clients do not read. */
const UNUSED_MAX = 64;

const unused: Bytes[] = [];

const encoder = new TextEncoder();

/** Memory for one reply. */
export function takeMemory(): Bytes {
  return unused.pop() ?? new Uint8Array(MEMORY_BYTES);
}

/** Gives it back. Nobody may be reading from it any more. */
export function release(memory: Bytes): void {
  if (unused.length < UNUSED_MAX) unused.push(memory);
}

/**
 * Puts head and body of a reply together.
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
  // Only one that is not plain ASCII needs more bytes than it has characters.
  if (read < head.length) return undefined;
  return memory.subarray(start, options.withoutBody ? BODY_START : BODY_START + bodyBytes);
}

/** @returns its length; undefined when there is no room for it */
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
