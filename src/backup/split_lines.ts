import { joinBytes } from "../model/bytes.ts";
import { LINE_BYTES_MAX, LINE_FEED } from "./read_lines.ts";

/**
 * The complete lines in pieces of bytes, each with its line feed, as many at a time as a piece completes. They
 * stay as they are until the next ones are asked for. Throws when the last line has no line feed.
 */
export async function* splitLines(
  pieces: AsyncIterable<Uint8Array>,
): AsyncGenerator<Uint8Array[], void> {
  /** The beginning of a line whose end has not come yet, in copies of the pieces that it lies in. */
  let begun: Uint8Array[] = [];
  let begunBytes = 0;
  for await (const piece of pieces) {
    const lines: Uint8Array[] = [];
    let start = 0;
    for (let end = piece.indexOf(LINE_FEED); end >= 0; end = piece.indexOf(LINE_FEED, start)) {
      const rest = piece.subarray(start, end + 1);
      lines.push(begunBytes === 0 ? rest : joinBytes([...begun, rest]));
      begun = [];
      begunBytes = 0;
      start = end + 1;
    }
    if (start < piece.length) {
      begun.push(piece.slice(start));
      begunBytes += piece.length - start;
      if (begunBytes > LINE_BYTES_MAX) throw new Error(`it sent a line of more than ${LINE_BYTES_MAX} bytes`);
    }
    if (lines.length > 0) yield lines;
  }
  if (begunBytes > 0) throw new Error("its page ends in the middle of a line");
}
