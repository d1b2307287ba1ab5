import { EVENT_LINE_END, eventLineStart } from "../../../wire/event.ts";
import { textBytes } from "../../../workers/short_bytes.ts";
import { CHUNK_BYTES } from "../../api/chunk.ts";
import type { StoredEvent } from "./chunk_search.ts";

const encoder = new TextEncoder();

/** Text is turned into bytes in pieces of about this size. */
const TEXT_UNITS_MAX = 32 * 1024;

/** The size of the buffer when it takes more than one piece of text. */
const BUFFER_BYTES = CHUNK_BYTES + TEXT_UNITS_MAX;

/** A buffer up to this size may hold the complete content, so it only doubles when it grows. */
const SMALL_BYTES_MAX = 64 * 1024;

/** The most bytes in UTF-8 for one unit of a string. */
const BYTES_PER_UNIT_MAX = 3;

/**
 * The lines of a chunk. They become bytes piece by piece: joining all of them first would leave long strings behind,
 * which the runtime is slow to collect.
 */
export class LineBuffer {
  /** Lines that are not in the buffer yet. */
  #text = "";
  #bytes = new Uint8Array(0);
  #length = 0;

  /** The length of the whole content. Text that is not encoded yet counts its units as bytes. */
  get length(): number {
    return this.#length + this.#text.length;
  }

  /** True when the chunk should end. */
  get isFull(): boolean {
    return this.#length >= CHUNK_BYTES;
  }

  addEvent({ sequence, timeMicros, body }: StoredEvent): void {
    const start = eventLineStart(sequence, timeMicros);
    if (typeof body === "string") return this.add(start + body + EVENT_LINE_END);
    this.add(start);
    this.add(body);
    this.add(EVENT_LINE_END);
  }

  /** Adds whole lines or parts of them. */
  add(part: string | Uint8Array): void {
    if (typeof part === "string") {
      this.#text += part;
      if (this.#text.length >= TEXT_UNITS_MAX) this.#flush();
      return;
    }
    const lengthMax = this.#length + BYTES_PER_UNIT_MAX * this.#text.length + part.length;
    if (lengthMax > this.#bytes.length) this.#grow(lengthMax);
    this.#flush();
    this.#bytes.set(part, this.#length);
    this.#length += part.length;
  }

  /** Takes the whole content. A small chunk of text alone has a buffer of just its size. */
  take(): Uint8Array<ArrayBuffer> {
    if (this.#length === 0) return textBytes(this.#text);
    this.#flush();
    return this.#bytes.subarray(0, this.#length);
  }

  /** Writes all lines into the buffer. */
  #flush(): void {
    for (let rest = this.#text; rest !== "";) {
      const { read, written } = encoder.encodeInto(rest, this.#bytes.subarray(this.#length));
      this.#length += written;
      rest = rest.slice(read);
      if (rest !== "") this.#grow(this.#length + BYTES_PER_UNIT_MAX * rest.length);
    }
    this.#text = "";
  }

  #grow(lengthMin: number): void {
    const larger = new Uint8Array(
      lengthMin <= SMALL_BYTES_MAX ? 2 * lengthMin : Math.max(lengthMin, BUFFER_BYTES),
    );
    larger.set(this.#bytes.subarray(0, this.#length));
    this.#bytes = larger;
  }
}
