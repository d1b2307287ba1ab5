const encoder = new TextEncoder();

/**
 * Returns the number of bytes that the strings take together in UTF-8 when it is more than `bytesMax`, else 0. A unit
 * takes at most three bytes, so nearly no event needs to be counted.
 */
export function utf8BytesOver(bytesMax: number, texts: readonly string[]): number {
  let units = 0;
  for (const text of texts) units += text.length;
  if (units * 3 <= bytesMax) return 0;
  // Strings that are certainly over the limit are counted without a copy, since they may be as large as a request.
  const bytes = units > bytesMax ? countBytes(texts) : encoder.encode(texts.join("")).length;
  return bytes > bytesMax ? bytes : 0;
}

function countBytes(texts: readonly string[]): number {
  let bytes = 0;
  for (const text of texts) {
    for (let i = 0; i < text.length; i++) bytes += unitBytes(text.charCodeAt(i));
  }
  return bytes;
}

/** A surrogate counts as half of its pair. */
function unitBytes(unit: number): number {
  if (unit < 0x80) return 1;
  return unit < 0x800 || (unit >= 0xd800 && unit <= 0xdfff) ? 2 : 3;
}
