/*
 * Memory for bytes with a short life. Short arrays share a larger buffer: allocating one for each takes longer than
 * filling it, and the garbage collector must track every one.
 */

/** Longer arrays have their own buffer. */
const SHORT_BYTES_MAX = 8 * 1024;

/** The size of a shared buffer. One array that is still in use keeps the whole buffer alive. */
const PIECE_BYTES = 64 * 1024;

const encoder = new TextEncoder();

let piece: ArrayBuffer | undefined;
let used = 0;

/**
 * Returns memory of this length, with arbitrary content. The caller must not move or resize the buffer of a short
 * array.
 */
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

/** Releases the memory at once, unless other arrays share it. */
export function releaseBytes(bytes: Uint8Array<ArrayBuffer>): void {
  if (hasOwnBuffer(bytes)) bytes.buffer.transfer(0);
}

/** True when no other array is in the buffer of these bytes. */
export function hasOwnBuffer({ length, buffer }: Uint8Array): boolean {
  return length > SHORT_BYTES_MAX || length === buffer.byteLength;
}
