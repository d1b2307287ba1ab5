/** Bytes that a well-formed string takes in UTF-8. */
export function utf8Bytes(text: string): number {
  let bytes = text.length;
  for (let i = 0; i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 0x80) continue;
    // A surrogate pair is two units and four bytes, so each half adds one.
    bytes += unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 1 : 2;
  }
  return bytes;
}

/**
 * Bytes that the strings take together in UTF-8, or 0 when they certainly stay within `bytesMax`.
 * A unit takes at most three bytes, which spares counting for nearly every event.
 */
export function utf8BytesOver(bytesMax: number, texts: readonly string[]): number {
  let units = 0;
  for (const text of texts) units += text.length;
  if (units * 3 <= bytesMax) return 0;
  let bytes = 0;
  for (const text of texts) bytes += utf8Bytes(text);
  return bytes > bytesMax ? bytes : 0;
}
