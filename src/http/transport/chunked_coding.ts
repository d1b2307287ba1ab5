import { Malformed } from "../exchange.ts";
import { TOKEN } from "./request_head.ts";

const QUOTED = String.raw`"(?:[\t\x20\x21\x23-\x5b\x5d-\x7e]|\\[\t\x20-\x7e])*"`;
const CHUNK_LINE = new RegExp(`^([0-9A-Fa-f]{1,8})(?:;${TOKEN}(?:=(?:${TOKEN}|${QUOTED}))?)*$`);
const TRAILER = new RegExp(`^${TOKEN}:[\\t\\x20-\\x7e]*$`);
/**
 * Fields that say how messages are delimited or where they go. A trailer is too late for them, but some readers obey
 * them.
 */
const HEAD_ONLY = /^(?:connection|content-length|host|transfer-encoding|upgrade):/i;

/** The size in the first line of a chunk. @throws Malformed */
export function chunkSize(line: string): number {
  const match = CHUNK_LINE.exec(line);
  if (match === null) {
    throw new Malformed("a chunk does not begin with its size and well-formed extensions");
  }
  return parseInt(match[1]!, 16);
}

/** @throws Malformed */
export function checkTrailer(line: string): void {
  if (!TRAILER.test(line)) throw new Malformed('a trailer line is not "name: value"');
  if (HEAD_ONLY.test(line)) throw new Malformed("a trailer field belongs in the head");
}

/** @returns -1 for anything else */
export function hexDigit(byte: number | undefined): number {
  if (byte === undefined) return -1;
  if (byte >= 0x30 && byte <= 0x39) return byte - 0x30;
  const letter = byte | 0x20;
  return letter >= 0x61 && letter <= 0x66 ? letter - 0x57 : -1;
}
