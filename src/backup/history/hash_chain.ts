import { hash } from "node:crypto";
import { LineBuffer } from "./line_buffer.ts";

const CHAIN_BYTES = 32;

/**
 * SHA-256 over the lines of a file, line by line: chain(n) = SHA-256(chain(n-1) and the bytes of line n with its line
 * feed), beginning with 32 zero bytes. Two files with the same chain are identical, byte by byte.
 */
export class HashChain {
  /** Starts with the chain so far. */
  readonly #buffer = new LineBuffer(CHAIN_BYTES);

  /** @param start the chain to continue; omitted: the empty chain */
  constructor(start?: Uint8Array) {
    if (start === undefined) return;
    if (start.length !== CHAIN_BYTES) {
      throw new Error(`a hash chain has ${CHAIN_BYTES} bytes, not ${start.length}`);
    }
    this.#buffer.start.set(start);
  }

  /** Returns a copy of the chain over every line so far. */
  get value(): Uint8Array<ArrayBuffer> {
    return this.#buffer.start.slice();
  }

  get hex(): string {
    return this.value.toHex();
  }

  /** @param line a line with its line feed, as text or as its UTF-8 bytes */
  add(line: string | Uint8Array): void {
    // Hashing to text is three times faster than to bytes.
    const digest = hash("sha256", this.#buffer.with(line), "hex");
    this.#buffer.start.setFromHex(digest);
  }
}

export function isSameChain(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
