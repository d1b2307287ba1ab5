export const LINE_FEED = 0x0a;

const PIECE_BYTES = 256 * 1024;

/** Longer than any line of an event that fits into memory comfortably. */
export const LINE_BYTES_MAX = 256 * 1024 * 1024;

/** Fills bytes from their start and says how many came; null at the end. */
export type ReadBytes = (bytes: Uint8Array) => number | null;

/**
 * The lines of a file without their line feeds. Each stays as it is until the next is asked for. The last one may
 * lack its line feed.
 */
export function* readLines(read: ReadBytes): Generator<Uint8Array, void> {
  let buffer = new Uint8Array(PIECE_BYTES);
  let start = 0;
  let searched = 0;
  let end = 0;
  for (;;) {
    const feed = buffer.subarray(searched, end).indexOf(LINE_FEED);
    if (feed >= 0) {
      yield buffer.subarray(start, searched + feed);
      start = searched += feed + 1;
      continue;
    }
    if (start > 0) {
      buffer.copyWithin(0, start, end);
      end -= start;
      start = 0;
    } else if (end === buffer.length) {
      buffer = doubled(buffer);
    }
    searched = end;
    const count = read(buffer.subarray(end));
    if (count === null) break;
    end += count;
  }
  if (end > 0) yield buffer.subarray(0, end);
}

function doubled(buffer: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  if (buffer.length >= LINE_BYTES_MAX) throw new Error(`a line of more than ${LINE_BYTES_MAX} bytes`);
  const larger = new Uint8Array(buffer.length * 2);
  larger.set(buffer);
  return larger;
}
