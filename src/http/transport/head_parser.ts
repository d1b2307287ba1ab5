import { findRequestHeadEnd, parseRequestHead, type RequestHead } from "./request_head.ts";

/** A longer head is not kept: every connection keeps one. */
const BUFFER_BYTES_MAX = 1024;

/** A request head, and what it looked like. */
interface ParsedHead {
  readonly head: RequestHead;
  /** With the empty line at its end. */
  readonly bytes: Uint8Array;
}

/** Parses the heads of one connection. Clients repeat theirs, and to see that takes a tenth of the time. */
export class HeadParser {
  #last: ParsedHead | undefined;

  /**
   * @param bytes what has been received
   * @param searched how much of that has been searched before, by an earlier call
   * @returns the head at its beginning, undefined while it is incomplete
   * @throws Malformed
   */
  parse(bytes: Uint8Array, searched: number): ParsedHead | undefined {
    const last = this.#last;
    if (last !== undefined && startsWith(bytes, last.bytes)) return last;
    const end = findRequestHeadEnd(bytes, searched);
    if (end < 0) return undefined;
    const parsed = { head: parseRequestHead(bytes.subarray(0, end)), bytes: bytes.slice(0, end) };
    if (end <= BUFFER_BYTES_MAX) this.#last = parsed;
    return parsed;
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}
