import type { Buffer } from "node:buffer";
import { takeBytes } from "./short_bytes.ts";

/*
 * Numbers, texts and bytes in memory that two threads share, one after the other. The reader asks for the same
 * things in the same order in which the writer wrote them.
 */

const NUMBER_BYTES = 8;
const LENGTH_BYTES = 4;

const encoder = new TextEncoder();

export class SharedWriter {
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  readonly #view: DataView;
  readonly #start: number;
  #at: number;
  #isFull = false;

  /**
   * @param start where to begin
   * @param end where the memory for it ends
   */
  constructor(memory: SharedArrayBuffer, start: number, end: number) {
    this.#bytes = new Uint8Array(memory, 0, end);
    this.#view = new DataView(memory);
    this.#start = this.#at = start;
  }

  /** Begins again, and overwrites what was written. */
  restart(): this {
    this.#at = this.#start;
    this.#isFull = false;
    return this;
  }

  /** True when something did not fit. Then nothing that was written is usable. */
  get isFull(): boolean {
    return this.#isFull;
  }

  number(value: number): void {
    if (this.#hasCapacity(NUMBER_BYTES)) this.#view.setFloat64(this.#at, value, true);
    this.#at += NUMBER_BYTES;
  }

  /** @param text well-formed */
  text(text: string): void {
    const start = this.#at + LENGTH_BYTES;
    if (!this.#hasCapacity(LENGTH_BYTES + text.length)) return;
    const { read, written } = encoder.encodeInto(text, this.#bytes.subarray(start));
    if (read < text.length) this.#isFull = true;
    // Text with one byte per character is faster to read. A positive length marks such text.
    this.#view.setInt32(this.#at, written === text.length ? written : -written, true);
    this.#at = start + written;
  }

  bytes(bytes: Uint8Array): void {
    if (!this.#hasCapacity(LENGTH_BYTES + bytes.length)) return;
    this.#view.setInt32(this.#at, bytes.length, true);
    this.#bytes.set(bytes, this.#at + LENGTH_BYTES);
    this.#at += LENGTH_BYTES + bytes.length;
  }

  #hasCapacity(bytes: number): boolean {
    if (this.#at + bytes > this.#bytes.length) this.#isFull = true;
    return !this.#isFull;
  }
}

export class SharedReader {
  readonly #bytes: Uint8Array<SharedArrayBuffer>;
  /** The same bytes, created for the first text: a thread loads 2.5 MB with its first `Buffer`. */
  #buffer: Buffer | undefined;
  readonly #view: DataView;
  readonly #start: number;
  #at: number;

  /** @param start where the writer began */
  constructor(memory: SharedArrayBuffer, start: number) {
    this.#bytes = new Uint8Array(memory);
    this.#view = new DataView(memory);
    this.#start = this.#at = start;
  }

  /** Begins again, with what has been written since. */
  restart(): this {
    this.#at = this.#start;
    return this;
  }

  number(): number {
    const value = this.#view.getFloat64(this.#at, true);
    this.#at += NUMBER_BYTES;
    return value;
  }

  text(): string {
    const length = this.#view.getInt32(this.#at, true);
    const start = this.#at + LENGTH_BYTES;
    this.#at = start + Math.abs(length);
    this.#buffer ??= globalThis.Buffer.from(this.#bytes.buffer);
    return this.#buffer.toString(length < 0 ? "utf8" : "latin1", start, this.#at);
  }

  /** A copy. Short copies share a buffer. */
  bytes(): Uint8Array<ArrayBuffer> {
    const length = this.#view.getInt32(this.#at, true);
    const start = this.#at + LENGTH_BYTES;
    this.#at = start + length;
    const bytes = takeBytes(length);
    bytes.set(this.#bytes.subarray(start, this.#at));
    return bytes;
  }
}
