import type { ByteSource } from "./byte_source.ts";
import { findRequestHeadEnd, parseRequestHead, type RequestHead } from "./request_head.ts";
import type { Deadline } from "./timeouts.ts";

/** A longer head is not stored, because every connection stores one. */
const STORED_BYTES_MAX = 1024;

const CR = 0x0d;
const LF = 0x0a;

/** Reads the heads of the requests on one connection. */
export class HeadReader {
  readonly #source: ByteSource;
  readonly #deadline: Deadline;
  readonly #headSeconds: number;
  readonly #parser = new HeadParser();

  /** @param headSeconds how long a client may take for a head */
  constructor(source: ByteSource, deadline: Deadline, headSeconds: number) {
    this.#source = source;
    this.#deadline = deadline;
    this.#headSeconds = headSeconds;
  }

  /**
   * Reads the next head.
   * @param quietSeconds how long the client may send nothing at all
   * @returns undefined when the client sends no more requests
   * @throws Malformed
   */
  async next(quietSeconds: number = this.#headSeconds): Promise<RequestHead | undefined> {
    this.#deadline.set(quietSeconds);
    let searched = 0;
    let afterEmptyLine = false;
    while (true) {
      const { bytes } = this.#source;
      // Some clients send an empty line after a body.
      if (!afterEmptyLine && bytes[0] === CR && bytes[1] === LF) {
        afterEmptyLine = true;
        searched = 0;
        this.#source.skip(2);
        continue;
      }
      const parsed = this.#parser.parse(bytes, searched);
      if (parsed !== undefined) {
        this.#source.skip(parsed.bytes.length);
        this.#deadline.clear();
        return parsed.head;
      }
      const begins = searched === 0 && bytes.length > 0;
      if (begins && quietSeconds !== this.#headSeconds) this.#deadline.set(this.#headSeconds);
      searched = bytes.length;
      if (!await this.#source.more()) return undefined;
    }
  }
}

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
    if (end <= STORED_BYTES_MAX) this.#last = parsed;
    return parsed;
  }
}

function startsWith(bytes: Uint8Array, start: Uint8Array): boolean {
  if (bytes.length < start.length) return false;
  for (let i = 0; i < start.length; i++) if (bytes[i] !== start[i]) return false;
  return true;
}
