import { LineSplitter } from "../../wire/lines.ts";

const PIECE_BYTES = 256 * 1024;

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
  if (splitter.restBytes > 0) yield splitter.rest;
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
  if (splitter.restBytes > 0) throw new Error("its page ends in the middle of a line");
}
