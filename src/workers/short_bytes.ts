/*
 * Memory for bytes that are soon forgotten. Short ones are cut from a common piece: to allocate some for each of them
 * takes longer than to fill it, and the garbage collector has to keep track of it.
 */

/** Longer ones have a piece of their own. */
const SHORT_BYTES_MAX = 8 * 1024;

/** One that is still in use somewhere keeps all of its piece. */
const PIECE_BYTES = 64 * 1024;

const encoder = new TextEncoder();

let piece: ArrayBuffer | undefined;
let used = 0;

/** Memory for so many bytes, which may hold anything. Nobody may move or resize the buffer of short ones. */
export function takeBytes(length: number): Uint8Array<ArrayBuffer> {
  if (length > SHORT_BYTES_MAX) return new Uint8Array(length);
  if (piece === undefined || used + length > PIECE_BYTES) {
    piece = new ArrayBuffer(PIECE_BYTES);
    used = 0;
  }
  const bytes = new Uint8Array(piece, used, length);
  used += length;
  return bytes;
}

/** The bytes of a text. */
export function textBytes(text: string): Uint8Array<ArrayBuffer> {
  if (text.length <= SHORT_BYTES_MAX) {
    const bytes = takeBytes(text.length);
    // Only text in ASCII has as many bytes as units.
    if (encoder.encodeInto(text, bytes).read === text.length) return bytes;
  }
  return encoder.encode(text);
}

/** Gives their memory back at once, unless others share it. */
export function releaseBytes(bytes: Uint8Array<ArrayBuffer>): void {
  if (hasOwnBuffer(bytes)) bytes.buffer.transfer(0);
}

/** Whether nothing else is in the buffer of these bytes. */
export function hasOwnBuffer({ length, buffer }: Uint8Array): boolean {
  return length > SHORT_BYTES_MAX || length === buffer.byteLength;
}
