const LINE_FEED = 0x0a;

const PIECE_BYTES = 256 * 1024;

/** Longer than any line of an event that fits into memory comfortably. */
const LINE_BYTES_MAX = 256 * 1024 * 1024;

/** Splits pieces of bytes into lines, wherever the pieces are split. */
class LineSplitter {
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
        throw new Error(
          `line ${this.#complete + lines.length + 1}: it has more than ${LINE_BYTES_MAX} bytes`,
        );
      }
    }
    this.#complete += lines.length;
    return lines;
  }

  /** The bytes after the last line feed. */
  get rest(): Uint8Array {
    return Buffer.concat(this.#begun);
  }
}

/** Fills bytes from their start and returns how many it read; null at the end. */
export type ReadBytes = (bytes: Uint8Array) => number | null;

/**
 * Returns the lines of a file without their line feeds. Each stays unchanged until the next is requested. The last one
 * may lack its line feed.
 */
export function* readLines(read: ReadBytes): Generator<Uint8Array, void> {
  const buffer = new Uint8Array(PIECE_BYTES);
  const splitter = new LineSplitter();
  for (let count = read(buffer); count !== null; count = read(buffer)) {
    for (const line of splitter.push(buffer.subarray(0, count))) yield line.subarray(0, -1);
  }
  const { rest } = splitter;
  if (rest.length > 0) yield rest;
}

/**
 * Returns the complete lines in pieces of bytes, each with its line feed, as many at a time as a piece completes. They
 * stay unchanged until the next ones are requested. Throws when the last line has no line feed.
 */
export async function* splitLines(pieces: AsyncIterable<Uint8Array>): AsyncGenerator<Uint8Array[], void> {
  const splitter = new LineSplitter();
  for await (const piece of pieces) {
    const lines = splitter.push(piece);
    if (lines.length > 0) yield lines;
  }
  if (splitter.rest.length > 0) throw new Error("its page ends in the middle of a line");
}
