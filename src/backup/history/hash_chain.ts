import { hash } from "node:crypto";

const CHAIN_BYTES = 32;

/** Enough for most lines. The buffer grows with the longest one. */
const LINE_BYTES_FIRST = 64 * 1024;

const encoder = new TextEncoder();

/**
 * SHA-256 over a history, event by event: chain(n) = SHA-256(chain(n-1) and the bytes of event n's line with
 * its line feed), beginning with 32 zero bytes. Two histories with the same chain are identical, byte by byte.
 */
export class HashChain {
  /** The bytes to hash next: the chain so far, and the line after it. */
  #bytes = new Uint8Array(CHAIN_BYTES + LINE_BYTES_FIRST);

  /** @param start the chain to continue; omitted: the empty chain */
  constructor(start?: Uint8Array) {
    if (start === undefined) return;
    if (start.length !== CHAIN_BYTES) {
      throw new Error(`a hash chain has ${CHAIN_BYTES} bytes, not ${start.length}`);
    }
    this.#bytes.set(start);
  }

  /** Returns a copy of the chain over every line so far. */
  get value(): Uint8Array<ArrayBuffer> {
    return this.#bytes.slice(0, CHAIN_BYTES);
  }

  get hex(): string {
    return this.value.toHex();
  }

  /** @param line an event's line with its line feed, as text or as its UTF-8 bytes */
  add(line: string | Uint8Array): void {
    // A UTF-16 unit takes at most three bytes.
    const bytesMax = typeof line === "string" ? line.length * 3 : line.length;
    if (CHAIN_BYTES + bytesMax > this.#bytes.length) this.#grow(CHAIN_BYTES + bytesMax);
    const rest = this.#bytes.subarray(CHAIN_BYTES);
    let length = line.length;
    if (typeof line === "string") length = encoder.encodeInto(line, rest).written;
    else rest.set(line);
    // Hashing to text is three times faster than to bytes.
    const digest = hash("sha256", this.#bytes.subarray(0, CHAIN_BYTES + length), "hex");
    this.#bytes.setFromHex(digest);
  }

  #grow(bytesMin: number): void {
    const larger = new Uint8Array(Math.max(bytesMin, this.#bytes.length * 2));
    larger.set(this.value);
    this.#bytes = larger;
  }
}

export function isSameChain(a: Uint8Array, b: Uint8Array): boolean {
  return a.length === b.length && a.every((byte, i) => byte === b[i]);
}
