const encoder = new TextEncoder();

/**
 * Turns text into bytes piece by piece. Joining it first would leave long strings behind, which the runtime
 * is slow to collect.
 */
export class LineBuffer {
  readonly #bytesExpected: number;
  #bytes = new Uint8Array(0);
  #length = 0;

  /** @param bytesExpected the size of the buffer when it takes more than one piece */
  constructor(bytesExpected: number) {
    this.#bytesExpected = bytesExpected;
  }

  get length(): number {
    return this.#length;
  }

  /** What has been added so far, as a view of the buffer. */
  get bytes(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#length);
  }

  /** Adds the last piece. When it is the only one, the buffer is just as large. */
  addLast(text: string): void {
    if (this.#length > 0) return this.add(text);
    this.#bytes = encoder.encode(text);
    this.#length = this.#bytes.length;
  }

  add(text: string): void {
    let rest = text;
    while (true) {
      const { read, written } = encoder.encodeInto(rest, this.#bytes.subarray(this.#length));
      this.#length += written;
      if (read === rest.length) return;
      rest = rest.slice(read);
      this.#grow(this.#length + rest.length);
    }
  }

  #grow(lengthMin: number): void {
    const larger = new Uint8Array(Math.max(lengthMin, this.#bytesExpected));
    larger.set(this.bytes);
    this.#bytes = larger;
  }
}
