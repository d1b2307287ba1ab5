const LINE_FEED = 0x0a;

/** Longer than any line of an event that fits into memory comfortably. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;

/** Splits pieces of bytes into lines, wherever the pieces are split. */
export class LineSplitter {
  /** The start of a line whose end has not been received yet, as copies of its pieces. */
  #begun: Uint8Array[] = [];
  #begunBytes = 0;
  #complete = 0;

  /** Returns the lines that a piece completes, each with its line feed. They are valid as long as the piece is. */
  push(piece: Uint8Array): Uint8Array[] {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const rest = piece.subarray(start, end + 1);
      lines.push(this.#begunBytes === 0 ? rest : Buffer.concat([...this.#begun, rest]));
      this.#begun = [];
      this.#begunBytes = 0;
      start = end + 1;
    }
    if (start < piece.length) {
      this.#begun.push(piece.slice(start));
      this.#begunBytes += piece.length - start;
      if (this.#begunBytes > LINE_BYTES_MAX) {
        const number = this.#complete + lines.length + 1;
        throw new Error(`line ${number}: it has more than ${LINE_BYTES_MAX} bytes`);
      }
    }
    this.#complete += lines.length;
    return lines;
  }

  /** The number of bytes after the last line feed. */
  get restBytes(): number {
    return this.#begunBytes;
  }

  /** The bytes after the last line feed. */
  get rest(): Uint8Array {
    return Buffer.concat(this.#begun);
  }
}
