import { findRequestHeadEnd, parseRequestHead, type RequestHead } from "./request_head.ts";

/** A longer head is not stored, because every connection stores one. */
const BUFFER_BYTES_MAX = 1024;

/** A request head, and its bytes. */
interface ParsedHead {
  readonly head: RequestHead;
  /** Includes the empty line at its end. */
  readonly bytes: Uint8Array;
}

/**
 * Parses the heads of one connection. Clients repeat their heads, and to detect a repetition takes a tenth of the
 * time.
 */
export class HeadParser {
  #last: ParsedHead | undefined;

  /**
   * @param bytes the bytes received
   * @param searched how many of these bytes an earlier call has searched
   * @returns the head at their beginning, undefined while it is incomplete
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
