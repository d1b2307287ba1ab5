/** Enough for most lines. The buffer grows with the longest one. */
const LINE_BYTES_FIRST = 64 * 1024;

const encoder = new TextEncoder();

/** A buffer for bytes to hash: a start, and a line after it. */
export class LineBuffer {
  readonly #startBytes: number;
  #bytes: Uint8Array<ArrayBuffer>;

  constructor(startBytes: number) {
    this.#startBytes = startBytes;
    this.#bytes = new Uint8Array(startBytes + LINE_BYTES_FIRST);
  }

  /** The bytes of the start, zeros at first. They are valid until the next line is added. */
  get start(): Uint8Array<ArrayBuffer> {
    return this.#bytes.subarray(0, this.#startBytes);
  }

  /**
   * Returns the start with a line after it, which are valid until the next call.
   * @param line as text or as its UTF-8 bytes
   */
  with(line: string | Uint8Array): Uint8Array<ArrayBuffer> {
    const start = this.#startBytes;
    // A UTF-16 unit takes at most three bytes.
    const bytesMax = typeof line === "string" ? line.length * 3 : line.length;
    if (start + bytesMax > this.#bytes.length) this.#grow(start + bytesMax);
    const rest = this.#bytes.subarray(start);
    let length = line.length;
    if (typeof line === "string") length = encoder.encodeInto(line, rest).written;
    else rest.set(line);
    return this.#bytes.subarray(0, start + length);
  }

  #grow(bytesMin: number): void {
    const larger = new Uint8Array(Math.max(bytesMin, this.#bytes.length * 2));
    larger.set(this.start);
    this.#bytes = larger;
  }
}
